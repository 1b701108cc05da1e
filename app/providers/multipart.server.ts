import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
} from "@aws-sdk/client-s3";
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  digestHeaders,
} from "../../embed-element/shared/checksums";
import { AppError, hasCode } from "../shared/app-error";
import type { CallContext } from "../shared/request-context.server";
import { responseCodeOf, statusOf } from "./connection-errors";
import { type createObjectPresigner, UPLOAD_MARK } from "./presigned-urls.server";
import type { SendToStore } from "./s3-client.server";
import { uploadNotFound } from "./store-failure.server";

/** A multipart upload at the store. */
export interface StoreUpload {
  bucket: string;
  key: string;
  uploadId: string;
  /** of the checksums; null if the store keeps none */
  algorithm: ChecksumAlgorithm | null;
}

export interface StoredPart {
  number: number;
  /** bytes */
  size: number;
  etag: string;
  /** base64; undefined if the store has none */
  checksum: string | undefined;
}

/** What the store says of the object that it has made of the parts. Some stores say no ETag (Ceph 16). */
export interface CompletedObject {
  etag: string | undefined;
  /** of the whole object, `CRC32:…`; undefined if the store does not say one */
  checksum: string | undefined;
  versionId: string | undefined;
}

/** A store may take most of a minute to assemble thousands of parts. Amazon S3 API Reference, "CompleteMultipartUpload". */
const COMPLETE_TIMEOUT_MS = 50_000;

/** Multipart uploads. Amazon S3 User Guide, "Uploading and copying objects using multipart upload". */
export function createMultipart(
  send: SendToStore,
  presigner: ReturnType<typeof createObjectPresigner>,
  standardLimitMs: number,
) {
  /** By bucket: the algorithm that its store accepted last, null for none. It is tried first for the next upload. */
  const acceptedAlgorithms = new Map<string, ChecksumAlgorithm | null>();

  /** For `catch`: some stores report a missing upload as a missing object (Ceph 16). */
  const throwUploadError = (error: unknown): never => {
    if (!hasCode(error, "not_found")) throw error;
    throw uploadNotFound({ cause: error.cause, logDetail: error.logDetail });
  };

  return {
    /**
     * Creates an upload, with the first checksum algorithm that the store accepts.
     * @param object `uploadMark`: see `ObjectDescription`; `withoutChecksum`: the store is known to ignore checksums
     * @throws AppError `bucket_not_found`, `provider_failed`, `unavailable`
     */
    async createUpload(
      {
        uploadMark,
        contentType,
        withoutChecksum = false,
        ...object
      }: { bucket: string; key: string; contentType: string; uploadMark: string; withoutChecksum?: boolean },
      context?: CallContext,
    ): Promise<StoreUpload> {
      const create = async (algorithm: ChecksumAlgorithm | null): Promise<StoreUpload> => {
        const command = new CreateMultipartUploadCommand({
          Bucket: object.bucket,
          Key: object.key,
          ContentType: contentType,
          Metadata: { [UPLOAD_MARK]: uploadMark },
          ...(algorithm && { ChecksumAlgorithm: algorithm, ChecksumType: "FULL_OBJECT" }),
        });
        const created = await send(command, {
          name: "create_multipart",
          permission: "s3:PutObject",
          context,
        });
        // Without an id, the requests for its parts would be requests for the object of that name.
        if (!created.UploadId) throw noUploadId();
        // A store that does not know checksums may ignore the algorithm.
        const isUsed = created.ChecksumAlgorithm === algorithm;
        return { ...object, uploadId: created.UploadId, algorithm: isUsed ? algorithm : null };
      };
      if (withoutChecksum) return create(null);
      const accepted = acceptedAlgorithms.get(object.bucket);
      // A set: the accepted one is tried first, and only once.
      const toTry = new Set([...(accepted === undefined ? [] : [accepted]), ...checksumAlgorithms, null]);
      /** every refusal so far was certainly of the algorithm; only then is the outcome remembered for the bucket */
      let refusedAlgorithmsOnly = true;
      let failure: unknown;
      for (const algorithm of toTry) {
        try {
          const upload = await create(algorithm);
          if (refusedAlgorithmsOnly) acceptedAlgorithms.set(object.bucket, upload.algorithm);
          return upload;
        } catch (error) {
          if (!mayBeUnknownChecksum(error)) throw error;
          refusedAlgorithmsOnly &&= isUnknownChecksum(error);
          failure = error;
        }
      }
      throw failure;
    },

    /** A URL that a browser can PUT one part to. Everything about the part is signed; `headers` must be sent as they are. */
    async presignPart(
      { bucket, key, uploadId, algorithm }: StoreUpload,
      part: {
        number: number;
        size: number;
        checksum?: string | undefined;
        contentMd5?: string | undefined;
      },
      expiresInSeconds: number,
    ): Promise<{ url: string; headers: Record<string, string> }> {
      const { checksum: value, contentMd5 } = part;
      const checksum = algorithm && value !== undefined ? { algorithm, value } : undefined;
      const headers = digestHeaders({ checksum, contentMd5 });
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

    /** All parts that are stored, in order. @throws AppError `upload_not_found`, and as `createUpload` */
    async listParts(
      { bucket, key, uploadId, algorithm }: StoreUpload,
      context?: CallContext,
    ): Promise<StoredPart[]> {
      const upload = { Bucket: bucket, Key: key, UploadId: uploadId };
      const permission = "s3:ListMultipartUploadParts";
      const parts: StoredPart[] = [];
      for (let marker: string | undefined; ; ) {
        const command = new ListPartsCommand({ ...upload, PartNumberMarker: marker });
        const page = await send(command, { name: "list_parts", permission, context }).catch(throwUploadError);
        for (const part of page.Parts ?? []) {
          parts.push({
            number: part.PartNumber ?? 0,
            size: part.Size ?? 0,
            etag: part.ETag ?? "",
            checksum: algorithm === null ? undefined : part[`Checksum${algorithm}`],
          });
        }
        if (!page.IsTruncated || page.NextPartNumberMarker === undefined) return parts;
        marker = page.NextPartNumberMarker;
      }
    },

    /**
     * Assembles the parts into the object.
     * @param options `checksum`: of the whole object, base64; `overwrite`: otherwise with `If-None-Match: *`
     * @throws AppError `name_taken`, `upload_conflict`, `upload_not_found`, `checksum_mismatch`, and as `createUpload`
     */
    async completeUpload(
      { bucket, key, uploadId, algorithm }: StoreUpload,
      parts: readonly StoredPart[],
      { checksum, overwrite }: { checksum: string | undefined; overwrite: boolean },
      context?: CallContext,
    ): Promise<CompletedObject> {
      const command = new CompleteMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        MultipartUpload: {
          Parts: parts.map(({ number, etag, checksum: partChecksum }) => ({
            PartNumber: number,
            ETag: etag,
            ...(algorithm && partChecksum !== undefined && { [`Checksum${algorithm}`]: partChecksum }),
          })),
        },
        ...(algorithm && { ChecksumType: "FULL_OBJECT" }),
        ...(algorithm && checksum !== undefined && { [`Checksum${algorithm}`]: checksum }),
        ...(overwrite ? {} : { IfNoneMatch: "*" }),
      });
      const limitMs = Math.max(COMPLETE_TIMEOUT_MS, standardLimitMs);
      const options = { name: "complete_multipart", permission: "s3:PutObject", limitMs, context };
      const completed = await send(command, options).catch(throwUploadError);
      const { ETag, VersionId } = completed;
      return {
        etag: ETag ? quotedEtag(ETag) : undefined,
        checksum: wholeChecksum(completed),
        versionId: VersionId,
      };
    },

    /** Discards the parts. @throws AppError `upload_not_found`, and as `createUpload` */
    async abortUpload({ bucket, key, uploadId }: StoreUpload, context?: CallContext): Promise<void> {
      const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId });
      const permission = "s3:AbortMultipartUpload";
      await send(command, { name: "abort_multipart", permission, context }).catch(throwUploadError);
    },
  };
}

/** The checksum of a whole object, `CRC32:…`. One that was computed from those of the parts (`COMPOSITE`) tells nothing of the content. */
export function wholeChecksum(
  response: Partial<Record<`Checksum${ChecksumAlgorithm}` | "ChecksumType", string>>,
): string | undefined {
  const algorithm = checksumAlgorithms.find((name) => response[`Checksum${name}`] !== undefined);
  const isWhole = response.ChecksumType !== "COMPOSITE";
  return algorithm && isWhole ? `${algorithm}:${response[`Checksum${algorithm}`]}` : undefined;
}

/** Some stores leave out an ETag's quotes in some responses. */
export function quotedEtag(etag: string): string {
  return etag.replace(/^[^"].*$/, '"$&"');
}

export function noUploadId(): AppError {
  return new AppError("provider_failed", "The object store refused the request.", {
    logDetail:
      "The object store began a multipart upload without an id. Check that CLOUD_S3_ENDPOINT names an S3 store.",
  });
}

/** Stores refuse an unknown algorithm with 400 or 501. These have other causes, too; then the next attempt fails in the same way. */
function mayBeUnknownChecksum(error: unknown): boolean {
  const status = statusOf(error);
  return status === 400 || status === 501;
}

/** The codes that stores use for it; others with the same status, like RequestTimeout, are temporary. */
export function isUnknownChecksum(error: unknown): boolean {
  return /^(NotImplemented|InvalidArgument|InvalidRequest)$/.test(responseCodeOf(error));
}
