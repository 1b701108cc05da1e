import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import { type CallContext, timeLeft } from "../request-context.server";
import { type ChecksumAlgorithm, checksumHeaders } from "./checksums";
import { statusOf } from "./connection-errors";
import { KnownChecksums } from "./known-checksums.server";
import type { createObjectPresigner } from "./presign-objects.server";
import type { CallStore } from "./s3-client.server";
import { uploadNotFound } from "./store-failure.server";

export interface PartedUpload {
  bucket: string;
  key: string;
  uploadId: string;
  /** null where the store knows no such checksum */
  checksum: ChecksumAlgorithm | null;
}

export interface StoredPart {
  number: number;
  /** bytes */
  size: number;
  etag: string;
  /** base64, as the store has it */
  checksum: string | undefined;
}

/** Where an object's metadata says which upload it came from. */
export const UPLOAD_MARK = "platform-embed-upload";

/**
 * milliseconds; a store puts thousands of parts together in more than the seconds that any other call takes. Amazon S3 API Reference,
 * "CompleteMultipartUpload".
 */
const COMPLETE_LIMIT = 50_000;

/** Uploads in parts. Amazon S3 User Guide, "Uploading and copying objects using multipart upload". */
export function createMultipart(
  client: S3Client,
  presigner: ReturnType<typeof createObjectPresigner>,
  call: CallStore,
  standardLimit: number,
) {
  const send = <Output>(
    name: string,
    { bucket }: { bucket: string },
    permission: string,
    request: CallContext | undefined,
    operation: (options: { abortSignal: AbortSignal }) => Promise<Output>,
    limitMs = standardLimit,
  ) => call(name, { bucket, permission }, timeLeft(limitMs, request), operation);

  /** For `catch`: some stores say of an upload that is gone what others say of an object (Ceph 16). */
  const uploadGone = (error: unknown): never => {
    const isGone = error instanceof AppError && error.code === "not_found";
    throw isGone ? uploadNotFound({ cause: error.cause, logDetail: error.logDetail }) : error;
  };

  const knownChecksums = new KnownChecksums();

  return {
    /**
     * Begins an upload with the first checksum that the store takes.
     * @param object `mark`: `findObject` tells it once the upload is the object
     * @throws AppError `bucket_not_found`, `provider_failed`, `unavailable`
     */
    async createUpload(
      { mark, contentType, ...object }: { bucket: string; key: string; contentType: string; mark: string },
      request?: CallContext,
    ): Promise<PartedUpload> {
      const begin = async (algorithm: ChecksumAlgorithm | null): Promise<PartedUpload> => {
        const command = new CreateMultipartUploadCommand({
          Bucket: object.bucket,
          Key: object.key,
          ContentType: contentType,
          Metadata: { [UPLOAD_MARK]: mark },
          ...(algorithm && { ChecksumAlgorithm: algorithm, ChecksumType: "FULL_OBJECT" }),
        });
        const begun = await send("create_multipart", object, "s3:PutObject", request, (options) =>
          client.send(command, options),
        );
        // Without an id the requests for its parts, and the one that discards them, would be about the object of that name.
        if (!begun.UploadId) throw noUploadId();
        // A store that does not know checksums may take the question for granted.
        const checksum = begun.ChecksumAlgorithm === algorithm ? algorithm : null;
        return { ...object, uploadId: begun.UploadId, checksum };
      };
      const toTry = [...knownChecksums.toTry(object.bucket)];
      let isCertain = true;
      for (;;) {
        const algorithm = toTry.shift() ?? null;
        try {
          const upload = await begin(algorithm);
          if (isCertain) knownChecksums.remember(object.bucket, upload.checksum);
          return upload;
        } catch (error) {
          if (toTry.length === 0 || !mayBeUnknownChecksum(error)) throw error;
          isCertain &&= isUnknownChecksum(error);
        }
      }
    },

    /** A URL that a browser can PUT one part to. `size` and `checksum` are signed; `headers` are to be sent as they stand. */
    async presignPart(
      { bucket, key, uploadId, checksum: algorithm }: PartedUpload,
      part: { number: number; size: number; checksum: string | undefined },
      expiresInSeconds: number,
    ): Promise<{ url: string; headers: Record<string, string> }> {
      const { checksum: value } = part;
      const headers = checksumHeaders(algorithm && value !== undefined ? { algorithm, value } : undefined);
      const url = await presigner.presign(
        "PUT",
        { bucket, key, expiresInSeconds },
        {
          headers: { ...headers, "Content-Length": String(part.size) },
          query: { partNumber: String(part.number), uploadId },
        },
      );
      return { url, headers };
    },

    /** Every part that has arrived, in order. @throws AppError `upload_not_found`, and those of `createUpload` */
    async listParts(
      { bucket, key, uploadId, checksum }: PartedUpload,
      request?: CallContext,
    ): Promise<StoredPart[]> {
      const parts: StoredPart[] = [];
      for (let marker: string | undefined; ; ) {
        const command = new ListPartsCommand({
          Bucket: bucket,
          Key: key,
          UploadId: uploadId,
          PartNumberMarker: marker,
        });
        const page = await send("list_parts", { bucket }, "s3:ListMultipartUploadParts", request, (options) =>
          client.send(command, options),
        ).catch(uploadGone);
        for (const part of page.Parts ?? []) {
          parts.push({
            number: part.PartNumber ?? 0,
            size: part.Size ?? 0,
            etag: part.ETag ?? "",
            checksum: checksum === null ? undefined : part[`Checksum${checksum}`],
          });
        }
        if (!page.IsTruncated || page.NextPartNumberMarker === undefined) return parts;
        marker = page.NextPartNumberMarker;
      }
    },

    /**
     * Makes the parts the object. Some stores say its ETag without quotes, or not at all (Ceph 16).
     * @param options `checksum`: of the whole object, base64; `overwrite`: or else `If-None-Match: *`
     * @throws AppError `name_taken`, `upload_conflict`, `upload_not_found`, `checksum_mismatch`, and those of `createUpload`
     */
    async completeUpload(
      { bucket, key, uploadId, checksum: algorithm }: PartedUpload,
      parts: readonly StoredPart[],
      { checksum, overwrite }: { checksum: string | undefined; overwrite: boolean },
      request?: CallContext,
    ): Promise<{ etag: string | undefined }> {
      const command = new CompleteMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        MultipartUpload: {
          Parts: parts.map(({ number, etag, checksum: own }) => ({
            PartNumber: number,
            ETag: etag,
            ...(algorithm && own !== undefined && { [`Checksum${algorithm}`]: own }),
          })),
        },
        ...(algorithm && { ChecksumType: "FULL_OBJECT" }),
        ...(algorithm && checksum !== undefined && { [`Checksum${algorithm}`]: checksum }),
        ...(overwrite ? {} : { IfNoneMatch: "*" }),
      });
      const limitMs = Math.max(COMPLETE_LIMIT, standardLimit);
      const { ETag } = await send(
        "complete_multipart",
        { bucket },
        "s3:PutObject",
        request,
        (options) => client.send(command, { ...options, requestTimeout: limitMs }),
        limitMs,
      ).catch(uploadGone);
      return { etag: ETag ? ETag.replace(/^[^"].*$/, '"$&"') : undefined };
    },

    /** Discards the parts. @throws AppError `upload_not_found`, and those of `createUpload` */
    async abortUpload({ bucket, key, uploadId }: PartedUpload, request?: CallContext): Promise<void> {
      const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
      await send("abort_multipart", { bucket }, "s3:AbortMultipartUpload", request, (options) =>
        client.send(command, options),
      ).catch(uploadGone);
    },
  };
}

export function noUploadId(): AppError {
  return new AppError("provider_failed", "The object store refused the request.", {
    logDetail:
      "The object store began an upload in parts without an id. Check that CLOUD_S3_ENDPOINT names an S3 store.",
  });
}

/** A store that does not know an algorithm says 400 or 501; so it does of other things, which the next attempt will meet again. */
function mayBeUnknownChecksum(error: unknown): boolean {
  const status = error instanceof AppError ? statusOf(error.cause) : undefined;
  return status === 400 || status === 501;
}

/** By the codes that stores use for it; others of the same status, like RequestTimeout, pass. */
function isUnknownChecksum(error: unknown): boolean {
  const { name } = Object((error as AppError).cause) as { name?: string };
  return name === "NotImplemented" || name === "InvalidArgument" || name === "InvalidRequest";
}
