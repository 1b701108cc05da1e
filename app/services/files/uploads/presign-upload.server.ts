import type { ServiceTools } from "../../../embed/service";
import { AppError, invalidRequest } from "../../../shared/app-error";
import { countUpload } from "../../../telemetry/metrics.server";
import { objectKey } from "../folder-path";
import { presignedLifetime } from "../presign-downloads.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertUploadFolderInScope,
  type FilesGrant,
} from "../scope-guards.server";
import { brokenLimit } from "./upload-limits";
import type { PresignedUpload, PresignUploadRequest } from "./uploads-contract.server";

/**
 * A presigned URL for one upload, within the token's scope.
 * @throws AppError `scope_not_allowed`, `too_large`, `type_not_allowed`, `invalid_request`
 */
export async function presignUpload(
  { bucket, folderPath, fileName, contentType, size, ifNoneMatch, checksum }: PresignUploadRequest,
  grant: FilesGrant,
  { objectStore, nowSeconds }: ServiceTools,
): Promise<PresignedUpload> {
  assertMayUpload({ bucket, folderPath, fileName, contentType, size }, grant);
  const key = objectKey(folderPath, fileName);
  const expiresInSeconds = presignedLifetime(grant, nowSeconds);
  const object = { bucket, key, contentType, size, ifNoneMatch, checksum, expiresInSeconds };
  const { url, headers } = await objectStore.presignPut(object);
  countUpload("single");
  return { url, method: "PUT", headers, bucket, key, expiresAt: nowSeconds + expiresInSeconds };
}

/** @throws AppError as `presignUpload` */
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
    const message = "is required, because this token limits the size of files";
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
