import type { ServiceTools } from "../../../embed/service";
import type { StoredPart } from "../../../providers/multipart.server";
import { nameTaken } from "../../../providers/store-failure.server";
import { AppError, type AppErrorCode, invalidRequest } from "../../../shared/app-error";
import { countUpload } from "../../../telemetry/metrics.server";
import { nameOf, objectKey, parentOf } from "../folder-path";
import { presignedLifetime } from "../presign-downloads.server";
import type { FilesGrant } from "../scope-guards.server";
import { assertMayUpload, integrityBy } from "./presign-upload.server";
import { type FilesUpload, readUpload, signUpload } from "./upload-handle.server";
import {
  type CompletedUpload,
  type CompleteUploadRequest,
  type CreatedUpload,
  type CreateUploadRequest,
  partSizeFor,
  type SignedParts,
  type SignPartsRequest,
  type StoredParts,
} from "./uploads-contract.server";

/**
 * Begins a multipart upload. A name that is taken is refused before anything is sent; if it is taken later, completing the upload is
 * refused.
 * @throws AppError as `presignUpload`, `name_taken`, and those of the store
 */
export async function createUpload(
  { bucket, folderPath, fileName, contentType, size, ifNoneMatch }: CreateUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<CreatedUpload> {
  assertMayUpload({ bucket, folderPath, fileName, contentType, size }, grant);
  const key = objectKey(folderPath, fileName);
  if (ifNoneMatch && (await tools.objectStore.describeObject({ bucket, key }, tools.request))) {
    throw nameTaken();
  }
  const mark = crypto.randomUUID();
  const checks = await tools.objectStore.integrityChecks({ bucket, key });
  const withoutChecksum = checks.checksums === false;
  const begun = await tools.objectStore.createUpload(
    { bucket, key, contentType, mark, withoutChecksum },
    tools.request,
  );
  const integrity = integrityBy({ ...checks, checksums: begun.checksum !== null });
  countUpload("multipart");
  const { companyId } = grant;
  const partSize = partSizeFor(size);
  const upload = { ...begun, companyId, mark, contentType, size, partSize, overwrite: !ifNoneMatch };
  const partCount = partCountOf(upload);
  return { upload: signUpload(upload, tools), key, partSize, partCount, checksum: begun.checksum, integrity };
}

/**
 * Presigns URLs for some parts of an upload.
 * @throws AppError as `openUpload`, `invalid_request` for a part that the upload does not have
 */
export async function signParts(
  request: SignPartsRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<SignedParts> {
  const { objectStore, nowSeconds } = tools;
  const upload = openUpload(request.upload, grant, tools);
  const partCount = partCountOf(upload);
  const beyond = request.parts.findIndex(({ number }) => number > partCount);
  if (beyond !== -1) {
    const message = `must be at most ${partCount}, the number of parts of this upload`;
    throw invalidRequest([{ path: `parts[${beyond}].number`, message }]);
  }
  const expiresInSeconds = presignedLifetime(grant, nowSeconds);
  const parts = await Promise.all(
    request.parts.map(async ({ number, ...digests }) => {
      const part = { number, size: bytesOfPart(upload, number), ...digests };
      return { number, ...(await objectStore.presignPart(upload, part, expiresInSeconds)) };
    }),
  );
  return { parts, expiresAt: nowSeconds + expiresInSeconds, serverTime: nowSeconds };
}

/** The parts that the store has, for resuming an upload. @throws AppError as `openUpload`, and those of the store */
export async function listParts(
  request: { upload: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<StoredParts> {
  const upload = openUpload(request.upload, grant, tools);
  const parts = await tools.objectStore.listParts(upload, tools.request);
  return { parts: parts.map(({ number, size, checksum }) => ({ number, size, checksum })) };
}

/**
 * Assembles the parts into the object. The same request again returns the same. The server lists the parts, so that pages never need to
 * read an ETag.
 * @throws AppError as `openUpload`; `upload_incomplete`, `name_taken`, `upload_conflict`, `checksum_mismatch`, and those of the store
 */
export async function completeUpload(
  request: CompleteUploadRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<CompletedUpload> {
  const upload = openUpload(request.upload, grant, tools);
  const { bucket, key, size, mark } = upload;
  const { overwrite = upload.overwrite } = request;
  const completed = (etag: string) => ({ bucket, key, size, etag });
  const find = () => tools.objectStore.describeObject({ bucket, key }, tools.request);
  // Some stores ignore If-None-Match here. Or this upload has been completed already.
  const found = await find();
  if (found?.mark === mark) return completed(found.etag);
  if (found !== null && !overwrite) throw nameTaken();
  try {
    const etag = await complete(upload, { checksum: request.checksum, overwrite }, tools);
    return completed(etag ?? (await find())?.etag ?? "");
  } catch (error) {
    // A concurrent request for the same upload may have completed it.
    const mayBeCompleted = error instanceof AppError && codesOfCompleted.includes(error.code);
    const meanwhile = mayBeCompleted ? await find() : null;
    if (meanwhile?.mark === mark) return completed(meanwhile.etag);
    throw error;
  }
}

/** Errors that the store may return for an upload that another request has completed. */
const codesOfCompleted: readonly AppErrorCode[] = ["upload_not_found", "name_taken", "upload_conflict"];

/** Returns the object's ETag, where the store tells it. */
async function complete(
  upload: FilesUpload,
  options: { checksum: string | undefined; overwrite: boolean },
  { objectStore, request }: ServiceTools,
): Promise<string | undefined> {
  const parts = await objectStore.listParts(upload, request);
  const missing = missingParts(upload, parts);
  if (missing.length > 0) {
    const named = `${missing.slice(0, 20).join(", ")}${missing.length > 20 ? " and more" : ""}`;
    throw new AppError("upload_incomplete", `Parts of the upload are missing: ${named}.`);
  }
  const { etag } = await objectStore.completeUpload(upload, parts, options, request);
  return etag;
}

/** Discards the parts, if there are any. @throws AppError as `openUpload`, and those of the store */
export async function abortUpload(
  request: { upload: string },
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<{ aborted: true }> {
  const upload = openUpload(request.upload, grant, tools);
  await tools.objectStore.abortUpload(upload, tools.request).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== "upload_not_found") throw error;
  });
  return { aborted: true };
}

/** The upload of a handle, if this token may make it. @throws AppError as `readUpload` and `presignUpload` */
function openUpload(handle: string, grant: FilesGrant, tools: ServiceTools): FilesUpload {
  const upload = readUpload(handle, grant, tools);
  const { bucket, key, contentType, size } = upload;
  const path = `/${key}`;
  const file = { bucket, folderPath: parentOf(path), fileName: nameOf(path), contentType, size };
  assertMayUpload(file, grant);
  return upload;
}

const partCountOf = ({ size, partSize }: Pick<FilesUpload, "size" | "partSize">) =>
  Math.ceil(size / partSize);

/** @param number from 1 */
const bytesOfPart = ({ size, partSize }: FilesUpload, number: number) =>
  Math.min(partSize, size - (number - 1) * partSize);

/** The numbers of the parts that have not arrived, or not completely. */
function missingParts(upload: FilesUpload, stored: readonly StoredPart[]): number[] {
  const complete = stored.filter(({ number, size }) => size === bytesOfPart(upload, number));
  const arrived = new Set(complete.map(({ number }) => number));
  const numbers = Array.from({ length: partCountOf(upload) }, (_, index) => index + 1);
  return numbers.filter((number) => !arrived.has(number));
}
