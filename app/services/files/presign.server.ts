import { AppError } from "../../app-error";
import { logWarning } from "../../log.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { countUpload } from "../../telemetry/metrics.server";
import { contentDisposition } from "./content-disposition";
import {
  assertBucketInScope,
  assertFileInScope,
  assertUploadFolderInScope,
  type FilesGrant,
  readFilesToken,
  type TokenSettings,
} from "./files-token.server";
import { joinPath } from "./folder-path";
import { harmlessType, MERE_BYTES } from "./harmless-type";
import type { PresignedDownload, PresignedUpload } from "./listing";
import type { PresignDownloadRequest, PresignUploadRequest } from "./storage-requests.server";

/** seconds; or as long as the token, if that is shorter. Decisions, section 7. */
const PRESIGNED_LIFETIME = 300;

/**
 * A presigned URL for one upload, inside the token's scope. Specification, "Presign upload".
 * @throws AppError `invalid_token`, `token_expired`, `scope_not_allowed`
 */
export async function presignUpload(
  request: PresignUploadRequest,
  objectStore: ObjectStore,
  settings: TokenSettings,
): Promise<PresignedUpload> {
  const grant = readFilesToken(request.token, settings);
  assertBucketInScope(request.bucket, grant.scope);
  assertUploadFolderInScope(request.folderPath, grant.scope);
  const key = keyOf(joinPath(request.folderPath, request.fileName));
  const expiresInSeconds = presignedLifetime(grant, settings.nowSeconds);
  const { url, headers } = await objectStore.presignPut({
    bucket: request.bucket,
    key,
    contentType: request.contentType,
    size: request.size,
    ifNoneMatch: request.ifNoneMatch,
    expiresInSeconds,
  });
  countUpload("single");
  const expiresAt = settings.nowSeconds + expiresInSeconds;
  return { url, method: "PUT", headers, bucket: request.bucket, key, expiresAt };
}

/**
 * A presigned URL for one download, inside the token's scope. Specification, "Presign download".
 * @throws AppError `invalid_token`, `token_expired`, `scope_not_allowed`
 */
export async function presignDownload(
  request: PresignDownloadRequest,
  objectStore: ObjectStore,
  settings: TokenSettings,
): Promise<PresignedDownload> {
  const grant = readFilesToken(request.token, settings);
  const path = "key" in request ? `/${request.key}` : joinPath(request.folderPath, request.fileName);
  assertBucketInScope(request.bucket, grant.scope);
  assertFileInScope(path, grant.scope);
  const key = keyOf(path);
  const fileName = path.slice(path.lastIndexOf("/") + 1);
  const contentType =
    request.disposition === "inline"
      ? await inlineType({ bucket: request.bucket, key, fileName }, objectStore)
      : MERE_BYTES;
  const expiresInSeconds = presignedLifetime(grant, settings.nowSeconds);
  const url = await objectStore.presignGet({
    bucket: request.bucket,
    key,
    contentDisposition: contentDisposition(request.disposition, fileName),
    contentType,
    expiresInSeconds,
  });
  const expiresAt = settings.nowSeconds + expiresInSeconds;
  return { url, method: "GET", bucket: request.bucket, key, expiresAt };
}

/** How long the store may take to say what type an object has, milliseconds: a URL without it serves as well. */
const TYPE_LIMIT = 2_000;

/** The type an object may be shown as; mere bytes where the store does not tell what it was stored as. */
async function inlineType(
  { bucket, key, fileName }: { bucket: string; key: string; fileName: string },
  objectStore: ObjectStore,
): Promise<string> {
  try {
    return harmlessType(await objectStore.contentTypeOf({ bucket, key, limitMs: TYPE_LIMIT }), fileName);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== "not_found")
      logWarning(`The type of an object is unknown. ${error.logDetail ?? error.message}`);
    return MERE_BYTES;
  }
}

function keyOf(path: string): string {
  return path.slice(1);
}

function presignedLifetime(grant: FilesGrant, nowSeconds: number): number {
  return Math.min(PRESIGNED_LIFETIME, grant.expiresAt - nowSeconds);
}
