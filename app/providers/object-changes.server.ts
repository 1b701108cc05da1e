import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import { type CallContext, timeLeft } from "../request-context.server";
import { checksumAlgorithms } from "./checksums";
import { statusOf } from "./connection-errors";
import { noUploadId, type PartedUpload, UPLOAD_MARK } from "./multipart.server";
import type { CallStore } from "./s3-client.server";
import { nameTaken } from "./store-failure.server";

export interface ObjectName {
  bucket: string;
  key: string;
}

/** What tells whether two objects hold the same bytes. */
export interface ObjectContent {
  /** bytes */
  size: number;
  etag: string;
  /** whole unix seconds, by the store's clock */
  modified: number;
  /** of the whole object, `CRC32:…`; undefined where the store has none, or was not asked */
  checksum?: string | undefined;
}

export interface ObjectDescription extends ObjectContent {
  contentType: string | undefined;
  /** of the upload in parts that it came from */
  mark: string | undefined;
  /** what a copy by parts has to be given again */
  headers: {
    CacheControl?: string | undefined;
    ContentDisposition?: string | undefined;
    ContentEncoding?: string | undefined;
    ContentLanguage?: string | undefined;
    ContentType?: string | undefined;
    Metadata?: Record<string, string> | undefined;
  };
}

/** bytes; what is larger may take longer than any other call, milliseconds */
const SMALL = 16 * 1024 ** 2;
const LONG_COPY_LIMIT = 45_000;

/** To look at, copy and delete one object. All throw what `ObjectStore.list` does. */
export function createObjectChanges(client: S3Client, call: CallStore, standardLimit: number) {
  /** Buckets whose store said that it does not offer a condition. */
  const lacking = new Set<string>();

  /** With a condition, unless the store does not offer it: then without, and a look beforehand has to do. */
  async function conditionally<Output>(
    name: string,
    work: (isConditional: boolean) => Promise<Output>,
  ): Promise<Output> {
    if (lacking.has(name)) return work(false);
    try {
      return await work(true);
    } catch (error) {
      if (!(error instanceof AppError) || statusOf(error.cause) !== 501) throw error;
      const output = await work(false);
      lacking.add(name);
      return output;
    }
  }

  /** What is at that key; null where there is nothing. */
  async function describeObject(
    { bucket, key }: ObjectName,
    request?: CallContext,
  ): Promise<ObjectDescription | null> {
    const command = new HeadObjectCommand({ Bucket: bucket, Key: key, ChecksumMode: "ENABLED" });
    try {
      const head = await call(
        "head",
        { bucket, permission: "s3:GetObject" },
        timeLeft(standardLimit, request),
        (options) => client.send(command, options),
      );
      const algorithm = checksumAlgorithms.find((name) => head[`Checksum${name}`] !== undefined);
      const isWhole = head.ChecksumType !== "COMPOSITE";
      const { CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, ContentType, Metadata } =
        head;
      return {
        size: head.ContentLength ?? 0,
        etag: head.ETag ?? "",
        modified: unixSeconds(head.LastModified),
        checksum: algorithm && isWhole ? `${algorithm}:${head[`Checksum${algorithm}`]}` : undefined,
        contentType: ContentType,
        mark: Metadata?.[UPLOAD_MARK],
        headers: {
          CacheControl,
          ContentDisposition,
          ContentEncoding,
          ContentLanguage,
          ContentType,
          Metadata,
        },
      };
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return null;
      throw error;
    }
  }

  return {
    describeObject,

    /**
     * Copies an object with its metadata, if it still is the one of that ETag. At most 5 GiB.
     * @param source `overwrite`: or else `If-None-Match: *`, where the store offers it
     * @throws AppError `name_taken` (or the source has changed), `not_found`, `upload_conflict`
     */
    async copyObject(
      source: ObjectName & Pick<ObjectContent, "size" | "etag"> & { to: string; overwrite: boolean },
      request?: CallContext,
    ): Promise<{ etag: string }> {
      const { bucket, key, to, etag, size, overwrite } = source;
      const limitMs = size > SMALL ? Math.max(LONG_COPY_LIMIT, standardLimit) : standardLimit;
      const copy = (isConditional: boolean) => {
        const command = new CopyObjectCommand({
          Bucket: bucket,
          Key: to,
          CopySource: copySource({ bucket, key }),
          CopySourceIfMatch: etag,
          ...(isConditional && { IfNoneMatch: "*" }),
        });
        return call("copy", { bucket, permission: "s3:PutObject" }, timeLeft(limitMs, request), (options) =>
          client.send(command, { ...options, requestTimeout: limitMs }),
        );
      };
      const { CopyObjectResult } = overwrite
        ? await copy(false)
        : await conditionally(`copy ${bucket}`, copy);
      return { etag: CopyObjectResult?.ETag ?? "" };
    },

    /**
     * Begins a copy by parts, with the headers and metadata of its source, as an upload in parts.
     * @param mark `describeObject` tells it once the upload is the object
     */
    async beginCopy(
      { bucket, to, mark, headers }: CopyByParts,
      request?: CallContext,
    ): Promise<PartedUpload> {
      const Metadata = { ...headers.Metadata, [UPLOAD_MARK]: mark };
      const command = new CreateMultipartUploadCommand({ ...headers, Bucket: bucket, Key: to, Metadata });
      const { UploadId: uploadId } = await call(
        "create_multipart",
        { bucket, permission: "s3:PutObject" },
        timeLeft(standardLimit, request),
        (options) => client.send(command, options),
      );
      if (!uploadId) throw noUploadId();
      return { bucket, key: to, uploadId, checksum: null };
    },

    /**
     * Copies a range of an object, if it still is the one of that ETag, as a part of an upload.
     * @param part `start`, `end`: bytes, the last one included
     * @throws AppError `name_taken` where the source has changed, `not_found`, `upload_not_found`
     */
    async copyPart(
      { bucket, key: to, uploadId }: PartedUpload,
      part: { number: number; key: string; etag: string; start: number; end: number },
      request?: CallContext,
    ): Promise<void> {
      const command = new UploadPartCopyCommand({
        Bucket: bucket,
        Key: to,
        UploadId: uploadId,
        PartNumber: part.number,
        CopySource: copySource({ bucket, key: part.key }),
        CopySourceIfMatch: part.etag,
        CopySourceRange: `bytes=${part.start}-${part.end}`,
      });
      const limitMs = Math.max(LONG_COPY_LIMIT, standardLimit);
      await call("copy_part", { bucket, permission: "s3:PutObject" }, timeLeft(limitMs, request), (options) =>
        client.send(command, { ...options, requestTimeout: limitMs }),
      );
    },

    /**
     * Deletes what is at that key; there may be nothing.
     * @param object `etag`: only if it still is the one of that ETag, where the store offers the condition; `version`: that one, for good
     * @returns the version of the delete marker that was left, where the bucket keeps versions
     * @throws AppError `name_taken` where it is another one, `not_found`
     */
    async removeObject(
      { bucket, key, etag, version }: ObjectName & { etag?: string; version?: string },
      request?: CallContext,
    ): Promise<{ marker: string | undefined }> {
      const remove = (isConditional: boolean) => {
        const command = new DeleteObjectCommand({
          Bucket: bucket,
          Key: key,
          VersionId: version,
          ...(isConditional && { IfMatch: etag }),
        });
        const permission = version === undefined ? "s3:DeleteObject" : "s3:DeleteObjectVersion";
        return call("delete", { bucket, permission }, timeLeft(standardLimit, request), (options) =>
          client.send(command, options),
        );
      };
      const { DeleteMarker, VersionId } =
        etag === undefined
          ? await remove(false)
          : await conditionally(`delete ${bucket}`, async (isConditional) => {
              const there = isConditional ? null : await describeObject({ bucket, key }, request);
              if (there !== null && there.etag !== etag) throw nameTaken();
              return remove(isConditional);
            });
      return { marker: DeleteMarker ? VersionId : undefined };
    },
  };
}

export interface CopyByParts {
  bucket: string;
  to: string;
  mark: string;
  headers: ObjectDescription["headers"];
}

/** Whole, as a HEAD tells them; a listing may be finer. */
export const unixSeconds = (date = new Date(0)) => Math.floor(date.getTime() / 1000);

/** As the header wants it: percent-encoded but for the slashes. */
function copySource({ bucket, key }: ObjectName): string {
  return `${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
}
