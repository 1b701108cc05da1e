import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  type ObjectStorageClass,
  type S3Client,
  type StorageClass,
} from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import { type CallContext, timeLeft } from "../request-context.server";
import { checksumAlgorithms } from "./checksums";
import { statusOf } from "./connection-errors";
import { UPLOAD_MARK } from "./multipart.server";
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
  /** undefined for `STANDARD`, which nobody needs to ask for */
  storageClass?: StorageClass | undefined;
}

export interface ObjectDescription extends ObjectContent {
  /** The ETag is the MD5 of the bytes: neither an upload in parts nor encrypted by a key that is not the store's own. */
  hasMd5: boolean;
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
    Expires?: Date | undefined;
    Metadata?: Record<string, string> | undefined;
  };
}

const COPY_PERMISSION =
  "s3:PutObject (and, if the object has tags, s3:GetObjectTagging and s3:PutObjectTagging)";
/** bytes; what is larger may take longer than any other call, milliseconds */
const SMALL = 16 * 1024 ** 2;
export const LONG_COPY_LIMIT = 45_000;

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
      const expires = Date.parse(head.ExpiresString ?? "");
      return {
        size: head.ContentLength ?? 0,
        etag: head.ETag ?? "",
        modified: unixSeconds(head.LastModified),
        checksum: algorithm && isWhole ? `${algorithm}:${head[`Checksum${algorithm}`]}` : undefined,
        storageClass: unusual(head.StorageClass),
        hasMd5:
          /^"[0-9a-f]{32}"$/.test(head.ETag ?? "") &&
          (head.ServerSideEncryption ?? "AES256") === "AES256" &&
          head.SSECustomerAlgorithm === undefined,
        contentType: ContentType,
        mark: Metadata?.[UPLOAD_MARK],
        headers: {
          CacheControl,
          ContentDisposition,
          ContentEncoding,
          ContentLanguage,
          ContentType,
          Expires: Number.isNaN(expires) ? undefined : new Date(expires),
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
     * Copies an object with its metadata, tags and storage class, if it still is the one of that ETag. At most 5 GiB.
     * @param source `overwrite`: or else `If-None-Match: *`, where the store offers it
     * @throws AppError `name_taken` (or the source has changed), `not_found`, `upload_conflict`
     */
    async copyObject(
      source: ObjectName &
        Pick<ObjectContent, "size" | "etag" | "storageClass"> & { to: string; overwrite: boolean },
      request?: CallContext,
    ): Promise<{ etag: string }> {
      const { bucket, key, to, etag, size, overwrite } = source;
      const limitMs = size > SMALL ? Math.max(LONG_COPY_LIMIT, standardLimit) : standardLimit;
      const copy = (StorageClass: StorageClass | undefined) => (isConditional: boolean) => {
        const command = new CopyObjectCommand({
          Bucket: bucket,
          Key: to,
          CopySource: copySource({ bucket, key }),
          CopySourceIfMatch: etag,
          // Without it the copy is in STANDARD, whatever the source is in.
          StorageClass,
          ...(isConditional && { IfNoneMatch: "*" }),
        });
        return call("copy", { bucket, permission: COPY_PERMISSION }, timeLeft(limitMs, request), (options) =>
          client.send(command, { ...options, requestTimeout: limitMs }),
        );
      };
      const { CopyObjectResult } = await asFarAsOffered(
        [source.storageClass, undefined],
        async (storageClass) =>
          overwrite ? copy(storageClass)(false) : conditionally(`copy ${bucket}`, copy(storageClass)),
      );
      return { etag: CopyObjectResult?.ETag ?? "" };
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

/** Whole, as a HEAD tells them; a listing may be finer. */
export const unixSeconds = (date = new Date(0)) => Math.floor(date.getTime() / 1000);

/** What has to be asked for. */
export const unusual = (storageClass: StorageClass | ObjectStorageClass | undefined) =>
  storageClass === "STANDARD" ? undefined : (storageClass as StorageClass | undefined);

/**
 * `work` with the first of what it can be asked for that the store takes: some list storage classes that they do not take, or know no tags.
 * The last is tried whatever the store says.
 */
export async function asFarAsOffered<Asked, Output>(
  [first, ...others]: readonly [Asked, ...Asked[]],
  work: (asked: Asked) => Promise<Output>,
): Promise<Output> {
  let asked = first;
  for (const next of others) {
    if (next === asked) continue;
    try {
      return await work(asked);
    } catch (error) {
      const status = error instanceof AppError ? statusOf(error.cause) : undefined;
      if (status !== 400 && status !== 501) throw error;
      asked = next;
    }
  }
  return work(asked);
}

/** As the header wants it: percent-encoded but for the slashes. */
export function copySource({ bucket, key }: ObjectName): string {
  return `${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
}
