import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { z } from "zod";
import { checksumAlgorithms } from "../../../../embed-element/shared/checksums";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { AppError, invalidRequest } from "../../../shared/app-error";
import type { FilesGrant } from "../place/scope-guards.server";

const LIFETIME_SECONDS = MAX_UPLOAD_DAYS * 24 * 3600;
const PURPOSE = "files-upload";

/** What is signed. */
const handleSchema = z.object({
  companyId: z.string(),
  bucket: z.string(),
  key: z.string(),
  /** the store's id */
  uploadId: z.string(),
  /** of the upload's event, and the upload mark in the object's metadata */
  eventId: z.string(),
  contentType: z.string(),
  /** bytes */
  size: z.int(),
  /** bytes; the last part has the rest */
  partSize: z.int(),
  /** of the checksum */
  algorithm: z.enum(checksumAlgorithms).nullable(),
  overwrite: z.boolean(),
  /** who hands it in, for a hand-in page: `senderOf` */
  sender: z.string().optional(),
  /** `multipart/find` returned it to somebody who may not have begun the upload */
  ownerUnknown: z.boolean().optional(),
  /** unix seconds */
  exp: z.int(),
});

/** A multipart upload, as its handle says. */
export type UploadHandlePayload = z.infer<typeof handleSchema>;

/**
 * The handle that identifies an upload, with any token of the company, for seven days. It contains all that the server has to know of the
 * upload, signed, so that sending needs no state on the server. Handles are remembered only for `multipart/find`.
 */
export function signUploadHandle(upload: Omit<UploadHandlePayload, "exp">, tools: ServiceTools): string {
  const [secret] = tools.signingSecrets;
  return signValue({ ...upload, exp: tools.nowSeconds + LIFETIME_SECONDS }, secret, PURPOSE);
}

/**
 * @throws AppError `invalid_request` when we did not sign it, `upload_not_found` when it has expired,
 * `scope_not_allowed` when it is another company's
 */
export function readUploadHandle(
  handle: string,
  grant: FilesGrant,
  tools: ServiceTools,
): UploadHandlePayload {
  const { data: upload } = handleSchema.safeParse(readSignedValue(handle, tools.signingSecrets, PURPOSE));
  if (upload === undefined) {
    throw invalidRequest([{ path: "upload", message: "is not what multipart/create returned" }]);
  }
  if (upload.companyId !== grant.companyId) {
    throw new AppError("scope_not_allowed", "That upload is another company's.");
  }
  if (tools.nowSeconds >= upload.exp) throw new AppError("upload_not_found", "That upload has expired.");
  return upload;
}
