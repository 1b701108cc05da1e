import { z } from "zod";
import { AppError, invalidRequest } from "../../app-error";
import type { ServiceTools } from "../../embed/service";
import { readSignedValue, signValue } from "../../embed/signed-value.server";
import { checksumAlgorithms } from "../../providers/checksums";
import type { FilesGrant } from "./scope-guards.server";

/** How long an upload may take, and a bucket keeps its parts. */
export const UPLOAD_DAYS = 7;
/** seconds */
const LIFETIME = UPLOAD_DAYS * 24 * 3600;
const PURPOSE = "files-upload";

const uploadSchema = z.object({
  companyId: z.string(),
  bucket: z.string(),
  key: z.string(),
  /** the store's */
  uploadId: z.string(),
  /** ours, in the object's metadata */
  mark: z.string(),
  contentType: z.string(),
  /** bytes */
  size: z.int(),
  /** bytes; the last part has what is left */
  partSize: z.int(),
  checksum: z.enum(checksumAlgorithms).nullable(),
  overwrite: z.boolean(),
  /** unix seconds */
  exp: z.int(),
});

/** An upload in parts, as it was created. */
export type FilesUpload = z.infer<typeof uploadSchema>;

/**
 * The handle by which a page names its upload, with any token, for seven days: it holds all that we have to know about it, signed, so
 * that nothing is kept on our side.
 */
export function signUpload(upload: Omit<FilesUpload, "exp">, tools: ServiceTools): string {
  const [secret = ""] = tools.signingSecrets;
  return signValue({ ...upload, exp: tools.nowSeconds + LIFETIME }, secret, PURPOSE);
}

/**
 * @throws AppError `invalid_request` when we did not sign it, `upload_not_found` when its time is over, `scope_not_allowed` when it
 * is another company's
 */
export function readUpload(handle: string, grant: FilesGrant, tools: ServiceTools): FilesUpload {
  const { data: upload } = uploadSchema.safeParse(readSignedValue(handle, tools.signingSecrets, PURPOSE));
  if (upload === undefined) {
    throw invalidRequest([{ path: "upload", message: "is not what multipart/create returned" }]);
  }
  if (upload.companyId !== grant.companyId) {
    throw new AppError("scope_not_allowed", "That upload is another company's.");
  }
  if (tools.nowSeconds >= upload.exp) throw new AppError("upload_not_found", "That upload has expired.");
  return upload;
}
