import { joinPath } from "../embed/folder-path";
import type { ObjectStore } from "../providers/object-store.server";
import { countUpload } from "../telemetry/metrics.server";
import { contentDisposition } from "./content-disposition";
import {
  assertBucketInScope,
  assertPathInScope,
  assertUploadFolderInScope,
  type FilesGrant,
  readFilesToken,
  type TokenSettings,
} from "./files-token.server";
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
  assertPathInScope(path, grant.scope);
  const key = keyOf(path);
  const expiresInSeconds = presignedLifetime(grant, settings.nowSeconds);
  const url = await objectStore.presignGet({
    bucket: request.bucket,
    key,
    contentDisposition: contentDisposition(request.disposition, path.slice(path.lastIndexOf("/") + 1)),
    expiresInSeconds,
  });
  const expiresAt = settings.nowSeconds + expiresInSeconds;
  return { url, method: "GET", bucket: request.bucket, key, expiresAt };
}

function keyOf(path: string): string {
  return path.slice(1);
}

function presignedLifetime(grant: FilesGrant, nowSeconds: number): number {
  return Math.min(PRESIGNED_LIFETIME, grant.expiresAt - nowSeconds);
}
