import { parentOf } from "platform-embed-element/client";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { AppError, invalidRequest } from "../../../shared/app-error";
import {
  assertActionInScope,
  assertBucketInScope,
  assertUploadFolderInScope,
  type FilesGrant,
  senderOf,
} from "../place/scope-guards.server";

/*
 * The two handles of a hand-in page. It gets them for its own uploads only, keeps them in memory, and can name an object in no other way:
 * a key would let it ask about any object.
 */

/** A page that has been open for longer cannot confirm or take back what it sent before. */
const LIFETIME_SECONDS = 24 * 3600;

const ownerShape = {
  companyId: z.string(),
  sender: z.string(),
  bucket: z.string(),
  key: z.string(),
  /** the id of the upload's event, and the upload mark in the object's metadata */
  eventId: z.string(),
  /** unix seconds */
  exp: z.int(),
};

/** An upload that was begun. */
const receiptSchema = z.object({
  ...ownerShape,
  /** the name that the person's file has */
  fileName: z.string(),
  /** bytes, if the caller named it */
  size: z.int().optional(),
});
/** An object that was handed in. */
const handedInSchema = z.object({ ...ownerShape, size: z.int(), etag: z.string() });

type Receipt = z.infer<typeof receiptSchema>;
type HandedIn = z.infer<typeof handedInSchema>;

const RECEIPT = "files-receipt";
const HANDED_IN = "files-handed-in";

export function signReceipt(
  upload: Pick<Receipt, "bucket" | "key" | "fileName" | "size" | "eventId">,
  grant: FilesGrant,
  tools: ServiceTools,
): string {
  return sign(upload, RECEIPT, grant, tools);
}

/** The handle that takes exactly this object back. */
export function signTakeBack(
  object: Pick<HandedIn, "bucket" | "key" | "eventId" | "size" | "etag">,
  grant: FilesGrant,
  tools: ServiceTools,
): string {
  return sign(object, HANDED_IN, grant, tools);
}

/** @throws AppError `invalid_request` when we did not sign it, `upload_not_found` when it has expired, `scope_not_allowed` */
export function readReceipt(receipt: string, grant: FilesGrant, tools: ServiceTools): Receipt {
  const { data } = receiptSchema.safeParse(readSignedValue(receipt, tools.signingSecrets, RECEIPT));
  if (data === undefined)
    throw invalidRequest([{ path: "receipt", message: "is not what presign-upload returned" }]);
  return assertOwn(data, grant, tools);
}

/** @throws AppError as `readReceipt` */
export function readTakeBack(takeBack: string, grant: FilesGrant, tools: ServiceTools): HandedIn {
  const { data } = handedInSchema.safeParse(readSignedValue(takeBack, tools.signingSecrets, HANDED_IN));
  if (data === undefined)
    throw invalidRequest([
      { path: "takeBack", message: "is not what uploaded or multipart/complete returned" },
    ]);
  return assertOwn(data, grant, tools);
}

function sign(
  named: { bucket: string; key: string },
  purpose: string,
  grant: FilesGrant,
  { signingSecrets: [secret], nowSeconds }: ServiceTools,
): string {
  const { companyId } = grant;
  const exp = nowSeconds + LIFETIME_SECONDS;
  return signValue({ ...named, companyId, sender: senderOf(grant), exp }, secret, purpose);
}

function assertOwn<Named extends Receipt | HandedIn>(
  named: Named,
  grant: FilesGrant,
  { nowSeconds }: ServiceTools,
): Named {
  const { companyId, sender, bucket, key, exp } = named;
  if (companyId !== grant.companyId || sender !== senderOf(grant)) {
    throw new AppError("scope_not_allowed", "That was handed in by somebody else.");
  }
  assertActionInScope("upload", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  assertUploadFolderInScope(parentOf(`/${key}`), grant.scope);
  if (nowSeconds >= exp) throw new AppError("upload_not_found", "That was handed in too long ago.");
  return named;
}
