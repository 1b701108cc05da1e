import { AppError, type AppErrorCode, invalidRequest } from "../../app-error";
import type { ServiceTools } from "../../embed/service";
import type { StoredPart } from "../../providers/multipart.server";
import { nameTaken } from "../../providers/store-failure.server";
import { countUpload } from "../../telemetry/metrics.server";
import { joinPath } from "./folder-path";
import {
  type CompleteUploadRequest,
  type CreateUploadRequest,
  partSizeFor,
  type SignPartsRequest,
} from "./multipart-contract.server";
import { assertMayUpload, keyOf, presignedLifetime } from "./presign.server";
import type { FilesGrant } from "./scope-guards.server";
import { type FilesUpload, readUpload, signUpload } from "./upload-handle.server";

/**
 * Begins an upload in parts, inside the token's scope. A name that is taken already is refused before anything is sent; who takes it
 * meanwhile is found when the upload is completed.
 * @throws AppError as `presignUpload`, `name_taken`, and those of the store
 */
export async function createUpload(request: CreateUploadRequest, grant: FilesGrant, tools: ServiceTools) {
  assertMayUpload(request, grant);
  const { bucket, size, contentType } = request;
  const key = keyOf(joinPath(request.folderPath, request.fileName));
  if (request.ifNoneMatch && (await tools.objectStore.findObject({ bucket, key }, tools.request))) {
    throw nameTaken();
  }
  const mark = crypto.randomUUID();
  const begun = await tools.objectStore.createUpload({ bucket, key, contentType, mark }, tools.request);
  countUpload();
  const { companyId } = grant;
  const partSize = partSizeFor(size);
  const overwrite = !request.ifNoneMatch;
  const upload = { ...begun, companyId, mark, contentType, size, partSize, overwrite };
  const partCount = partCountOf(upload);
  return { upload: signUpload(upload, tools), key, partSize, partCount, checksum: begun.checksum };
}

/**
 * URLs for some parts of an upload.
 * @throws AppError as `openUpload`, `invalid_request` for a part that the upload does not have
 */
export async function signParts(request: SignPartsRequest, grant: FilesGrant, tools: ServiceTools) {
  const { objectStore, nowSeconds } = tools;
  const upload = openUpload(request.upload, grant, tools);
  const partCount = partCountOf(upload);
  const beyond = request.parts.findIndex(({ number }) => number > partCount);
  if (beyond !== -1) {
    const message = `must be at most ${partCount}, which is how many parts the upload has`;
    throw invalidRequest([{ path: `parts[${beyond}].number`, message }]);
  }
  const expiresInSeconds = presignedLifetime(grant, nowSeconds);
  const parts = await Promise.all(
    request.parts.map(async ({ number, checksum }) => {
      const part = { number, size: bytesOfPart(upload, number), checksum };
      return { number, ...(await objectStore.presignPart(upload, part, expiresInSeconds)) };
    }),
  );
  return { parts, expiresAt: nowSeconds + expiresInSeconds, serverTime: nowSeconds };
}

/** Which parts the store has, with which to go on. @throws AppError as `openUpload`, and those of the store */
export async function listParts(request: { upload: string }, grant: FilesGrant, tools: ServiceTools) {
  const upload = openUpload(request.upload, grant, tools);
  const parts = await tools.objectStore.listParts(upload, tools.request);
  return { parts: parts.map(({ number, size, checksum }) => ({ number, size, checksum })) };
}

/**
 * Makes the parts the object, and says the same when it is asked again. The parts are listed here: no page has to read an ETag.
 * @throws AppError as `openUpload`; `upload_incomplete`, `name_taken`, `upload_conflict`, `checksum_mismatch`, and those of the store
 */
export async function completeUpload(request: CompleteUploadRequest, grant: FilesGrant, tools: ServiceTools) {
  const upload = openUpload(request.upload, grant, tools);
  const { bucket, key, size, mark } = upload;
  const { overwrite = upload.overwrite } = request;
  const completed = (etag: string) => ({ bucket, key, size, etag });
  const find = () => tools.objectStore.findObject(upload, tools.request);
  // Some stores ignore If-None-Match here, and the object may be ours already.
  const found = await find();
  if (found?.mark === mark) return completed(found.etag);
  if (found !== null && !overwrite) throw nameTaken();
  try {
    const etag = await complete(upload, { checksum: request.checksum, overwrite }, tools);
    return completed(etag ?? (await find())?.etag ?? "");
  } catch (error) {
    // The same request at the same time may have been first.
    const isRaced = error instanceof AppError && racedCodes.includes(error.code);
    const meanwhile = isRaced ? await find() : null;
    if (meanwhile?.mark === mark) return completed(meanwhile.etag);
    throw error;
  }
}

/** What the store may say of an upload that another request has completed, or an earlier attempt of this one. */
const racedCodes: readonly AppErrorCode[] = ["upload_not_found", "name_taken", "upload_conflict"];

/** The object's ETag, if the store says it. */
async function complete(
  upload: FilesUpload,
  options: { checksum: string | undefined; overwrite: boolean },
  { objectStore, request: context }: ServiceTools,
): Promise<string | undefined> {
  const parts = await objectStore.listParts(upload, context);
  const missing = missingParts(upload, parts);
  if (missing.length > 0) {
    const named = `${missing.slice(0, 20).join(", ")}${missing.length > 20 ? " and more" : ""}`;
    throw new AppError("upload_incomplete", `Parts of the upload are missing: ${named}.`);
  }
  const { etag } = await objectStore.completeUpload(upload, parts, options, context);
  return etag;
}

/** Discards the parts; there may be none any more. @throws AppError as `openUpload`, and those of the store */
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

/** The upload of a handle, if this token too may make it. @throws AppError as `readUpload` and `presignUpload` */
function openUpload(handle: string, grant: FilesGrant, tools: ServiceTools): FilesUpload {
  const upload = readUpload(handle, grant, tools);
  const { bucket, key, contentType, size } = upload;
  const slash = key.lastIndexOf("/");
  const folderPath = `/${key.slice(0, Math.max(slash, 0))}`;
  assertMayUpload({ bucket, folderPath, fileName: key.slice(slash + 1), contentType, size }, grant);
  return upload;
}

function partCountOf({ size, partSize }: Pick<FilesUpload, "size" | "partSize">): number {
  return Math.ceil(size / partSize);
}

/** @param number from 1 */
function bytesOfPart({ size, partSize }: FilesUpload, number: number): number {
  return Math.min(partSize, size - (number - 1) * partSize);
}

/** The numbers of the parts that have not arrived whole. */
function missingParts(upload: FilesUpload, stored: readonly StoredPart[]): number[] {
  const whole = new Set(
    stored.filter(({ number, size }) => size === bytesOfPart(upload, number)).map(({ number }) => number),
  );
  return Array.from({ length: partCountOf(upload) }, (_, index) => index + 1).filter(
    (number) => !whole.has(number),
  );
}
