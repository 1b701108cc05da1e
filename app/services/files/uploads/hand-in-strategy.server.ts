import type { ServiceTools } from "../../../embed/service";
import type { FilesGrant } from "../place/scope-guards.server";

/** What a receipt stands for. */
export interface BegunUpload {
  bucket: string;
  key: string;
  /** the name that the person's file has */
  fileName: string;
  /** bytes, if the caller named it */
  size?: number | undefined;
  /** the id of the upload's event, and the upload mark in the object's metadata */
  eventId: string;
}

/**
 * What is different for the uploads of a hand-in page: nobody chooses a key there, and handles stand for the objects. `../hand-in` implements
 * it, and the routes pass it.
 */
export interface HandInStrategy {
  /** A key that nothing has. @param fileTypes the token's. @throws AppError `invalid_request` */
  keyFor(folderPath: string, fileName: string, fileTypes?: readonly string[]): string;
  signReceipt(upload: BegunUpload, grant: FilesGrant, tools: ServiceTools): string;
  /** @throws AppError `invalid_request` when we did not sign it, `upload_not_found` when it has expired, `scope_not_allowed` */
  readReceipt(receipt: string, grant: FilesGrant, tools: ServiceTools): BegunUpload;
  /** The handle that takes exactly this object back. */
  signTakeBack(
    object: Pick<BegunUpload, "bucket" | "key" | "eventId"> & { size: number; etag: string },
    grant: FilesGrant,
    tools: ServiceTools,
  ): string;
}
