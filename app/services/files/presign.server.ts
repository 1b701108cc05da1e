import { AppError, invalidRequest } from "../../app-error";
import type { ServiceTools } from "../../embed/service";
import { logWarning } from "../../log.server";
import { mapConcurrently } from "../../map-concurrently";
import { countUpload } from "../../telemetry/metrics.server";
import { contentDisposition } from "./content-disposition";
import { joinPath } from "./folder-path";
import { harmlessType, MERE_BYTES } from "./harmless-type";
import {
  assertActionInScope,
  assertBucketInScope,
  assertFileInScope,
  assertUploadFolderInScope,
  type FilesGrant,
} from "./scope-guards.server";
import type {
  PresignDownloadRequest,
  PresignDownloadsRequest,
  PresignedDownload,
  PresignedDownloads,
  PresignedUpload,
  PresignUploadRequest,
} from "./storage-contract.server";
import { brokenLimit } from "./upload-limits";

/** seconds; or as long as the token, if that is shorter */
const PRESIGNED_LIFETIME = 300;

/**
 * A presigned URL for one upload, inside the token's scope.
 * @throws AppError `scope_not_allowed`, `too_large`, `type_not_allowed`, `invalid_request`
 */
export async function presignUpload(
  request: PresignUploadRequest,
  grant: FilesGrant,
  { objectStore, nowSeconds }: ServiceTools,
): Promise<PresignedUpload> {
  assertMayUpload(request, grant);
  const key = keyOf(joinPath(request.folderPath, request.fileName));
  const expiresInSeconds = presignedLifetime(grant, nowSeconds);
  const { url, headers } = await objectStore.presignPut({
    bucket: request.bucket,
    key,
    contentType: request.contentType,
    size: request.size,
    ifNoneMatch: request.ifNoneMatch,
    checksum: request.checksum,
    expiresInSeconds,
  });
  countUpload();
  const expiresAt = nowSeconds + expiresInSeconds;
  return { url, method: "PUT", headers, bucket: request.bucket, key, expiresAt };
}

/**
 * That this file may be uploaded with the token.
 * @throws AppError `scope_not_allowed`, `too_large`, `type_not_allowed`, `invalid_request`
 */
export function assertMayUpload(
  file: Pick<PresignUploadRequest, "bucket" | "folderPath" | "fileName" | "contentType" | "size">,
  { scope }: FilesGrant,
): void {
  assertActionInScope("upload", scope);
  assertBucketInScope(file.bucket, scope);
  assertUploadFolderInScope(file.folderPath, scope);
  const { fileName: name, contentType, size } = file;
  const { limits = {} } = scope;
  const { maxFileBytes, fileTypes } = limits;
  if (maxFileBytes !== undefined && size === undefined) {
    const message = "is required, because this token limits how large a file may be";
    throw invalidRequest([{ path: "size", message }]);
  }
  switch (brokenLimit(limits, { name, contentType, size: size ?? 0 })) {
    case "too_large":
      throw new AppError(
        "too_large",
        `Files of up to ${maxFileBytes} bytes may be uploaded with this token.`,
      );
    case "type_not_allowed":
      throw typeNotAllowed(fileTypes);
  }
}

export function typeNotAllowed(fileTypes: readonly string[] = []): AppError {
  const named = fileTypes.slice(0, 20).join(", ") || "none";
  return new AppError("type_not_allowed", `Only these types may be uploaded with this token: ${named}.`);
}

/**
 * A presigned URL for one download, inside the token's scope.
 * @throws AppError `scope_not_allowed`
 */
export async function presignDownload(
  request: PresignDownloadRequest & { contentEncoding?: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<PresignedDownload> {
  const { objectStore, nowSeconds } = tools;
  const path = "key" in request ? `/${request.key}` : joinPath(request.folderPath, request.fileName);
  assertActionInScope("download", grant.scope);
  assertBucketInScope(request.bucket, grant.scope);
  assertFileInScope(path, grant.scope);
  const key = keyOf(path);
  const fileName = path.slice(path.lastIndexOf("/") + 1);
  const contentType =
    request.disposition === "inline"
      ? await inlineType({ bucket: request.bucket, key, fileName }, tools)
      : MERE_BYTES;
  const expiresInSeconds = presignedLifetime(grant, nowSeconds);
  const url = await objectStore.presignGet({
    bucket: request.bucket,
    key,
    contentDisposition: contentDisposition(request.disposition, fileName),
    contentType,
    contentEncoding: request.contentEncoding,
    expiresInSeconds,
  });
  const expiresAt = nowSeconds + expiresInSeconds;
  return { url, method: "GET", bucket: request.bucket, key, expiresAt };
}

/** What is to be shown needs its type from the store: so many are asked for at a time. */
const AT_ONCE = 16;

/** An archive holds each file as it is stored. A browser unpacks what is stored as gzip, and then its length is not the one listed. */
const AS_STORED = "identity";

/**
 * URLs for several downloads; one that is outside the token's scope does not keep back the others.
 * @throws AppError `token_expired`
 */
export async function presignDownloads(
  { keys, ...shared }: PresignDownloadsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<PresignedDownloads> {
  const expiresAt = tools.nowSeconds + presignedLifetime(grant, tools.nowSeconds);
  const contentEncoding = shared.disposition === "attachment" ? AS_STORED : undefined;
  const downloads = await mapConcurrently(keys, AT_ONCE, (key) =>
    presignDownload({ ...shared, key, contentEncoding }, grant, tools).then(
      ({ url }) => ({ key, url }),
      (error: unknown) => {
        if (!(error instanceof AppError)) throw error;
        return { key, error: error.code };
      },
    ),
  );
  return { downloads, expiresAt };
}

/** How long the store may take to say what type an object has, milliseconds: a URL without it serves as well. */
const TYPE_LIMIT = 2_000;

/** The type an object may be shown as; mere bytes where the store does not tell what it was stored as. */
async function inlineType(
  { bucket, key, fileName }: { bucket: string; key: string; fileName: string },
  { objectStore, request }: ServiceTools,
): Promise<string> {
  try {
    const object = { bucket, key, limitMs: TYPE_LIMIT };
    return harmlessType(await objectStore.contentTypeOf(object, request), fileName);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code !== "not_found") {
      const { requestId } = request;
      logWarning(`The type of an object is unknown. ${error.logDetail ?? error.message}`, { requestId });
    }
    return MERE_BYTES;
  }
}

export function keyOf(path: string): string {
  return path.slice(1);
}

export function presignedLifetime(grant: FilesGrant, nowSeconds: number): number {
  const seconds = Math.min(PRESIGNED_LIFETIME, grant.expiresAt - nowSeconds);
  // It was valid when it was judged, and its last second passed since.
  if (seconds < 1)
    throw new AppError("token_expired", "The embed token has expired. Ask your backend for a new one.");
  return seconds;
}
