import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type StorageClass,
} from "@aws-sdk/client-s3";
import { hasCode } from "../shared/app-error";
import type { CallContext } from "../shared/request-context.server";
import { statusOf, wasRepeated } from "./connection-errors";
import { type ObjectContent, unixSeconds, unlessStandard } from "./listings.server";
import { quotedEtag, wholeChecksum } from "./multipart.server";
import { UPLOAD_MARK } from "./presigned-urls.server";
import type { SendToStore } from "./s3-client.server";
import { nameTaken, objectNotFound } from "./store-failure.server";

export interface ObjectName {
  bucket: string;
  key: string;
}

/** Each object once. */
export const eachOnce = (names: readonly ObjectName[]): ObjectName[] => [
  ...new Map(names.map(({ bucket, key }) => [JSON.stringify([bucket, key]), { bucket, key }])).values(),
];

/** An object, or an older version of it. */
export interface VersionName extends ObjectName {
  /** undefined: the newest one */
  versionId?: string | undefined;
}

/** The id of what is stored while a bucket keeps no versions. Another upload may replace it. */
export const NULL_VERSION = "null";

/** The id of a version that the next object of its name leaves in place; undefined if there is none. */
export const keptVersion = (versionId: string | undefined): string | undefined =>
  versionId === NULL_VERSION ? undefined : versionId;

/** The name of the metadata that tells of which version a multipart copy was made. */
export const COPY_MARK = "platform-embed-copy";

export interface ObjectDescription extends ObjectContent {
  contentType: string | undefined;
  /** undefined if the bucket never kept versions */
  versionId?: string | undefined;
  /** set by the upload that made the object, or by the one whose object was copied; tells which upload that was */
  uploadMark: string | undefined;
  /** set by a multipart copy; tells of which version it, or the object that it was copied from, was made */
  copyMark?: string | undefined;
  /** what a multipart copy has to set again */
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

export interface TaggedVersion {
  tags: ReadonlyMap<string, string>;
  /** the version that has these tags; undefined if the bucket never kept versions, or the store does not say */
  versionId: string | undefined;
}

const COPY_PERMISSION =
  "s3:PutObject (and, if the object has tags, s3:GetObjectTagging and s3:PutObjectTagging)";
/** Copying more than this may take longer than other calls. */
const SMALL_COPY_BYTES = 16 * 1024 ** 2;
export const LONG_COPY_TIMEOUT_MS = 45_000;

/**
 * Describes, creates, copies and deletes single objects. All functions throw AppError `bucket_not_found`, `provider_failed`, `unavailable`.
 * @param enforcesConditions see `ObjectStore.enforcesConditions`
 */
export function createObjectChanges(send: SendToStore, standardLimitMs: number, enforcesConditions: boolean) {
  /** Conditional requests that a bucket's store has answered with 501, by operation and bucket. */
  const unsupported = new Set<string>();

  /** Sends a request with its condition; if the store does not support that, without. */
  async function conditionally<Output>(
    operation: string,
    work: (isConditional: boolean) => Promise<Output>,
  ): Promise<Output> {
    if (unsupported.has(operation)) return work(false);
    try {
      return await work(true);
    } catch (error) {
      if (statusOf(error) !== 501) throw error;
      const output = await work(false);
      unsupported.add(operation);
      return output;
    }
  }

  /** The object at that key, or the version; null if there is none. @param limitMs milliseconds */
  async function describeObject(
    { bucket, key, versionId }: VersionName,
    context?: CallContext,
    limitMs?: number,
  ): Promise<ObjectDescription | null> {
    const command = new HeadObjectCommand({
      Bucket: bucket,
      Key: key,
      VersionId: versionId,
      ChecksumMode: "ENABLED",
    });
    const permission = versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion";
    try {
      const head = await send(command, { name: "head", permission, limitMs, context });
      const { CacheControl, ContentDisposition, ContentEncoding, ContentLanguage } = head;
      const { ContentType, Metadata } = head;
      const expires = Date.parse(head.ExpiresString ?? "");
      return {
        size: head.ContentLength ?? 0,
        etag: head.ETag ?? "",
        modified: unixSeconds(head.LastModified),
        checksum: wholeChecksum(head),
        storageClass: unlessStandard(head.StorageClass),
        contentType: ContentType,
        versionId: head.VersionId,
        uploadMark: Metadata?.[UPLOAD_MARK],
        copyMark: Metadata?.[COPY_MARK],
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
      if (hasCode(error, "not_found")) return null;
      throw error;
    }
  }

  /** What the version id of a key names: content, or a delete marker; null if there is no such version. */
  async function describeVersion(
    version: ObjectName & { versionId: string },
    context?: CallContext,
  ): Promise<ObjectDescription | "marker" | null> {
    try {
      return await describeObject(version, context);
    } catch (error) {
      // The response to a HEAD has no body that says more: 405 for a delete marker, 400 for what cannot be the id of a version.
      const status = statusOf(error);
      if (status === 405) return "marker";
      if (status === 400) return null;
      throw error;
    }
  }

  return {
    describeObject,
    describeVersion,

    /**
     * The tags of an object, or of a version of it; null if there is none, or if it is a delete marker.
     * @param limitMs milliseconds; CLOUD_S3_TIMEOUT_SECONDS by default
     * @throws AppError `provider_failed` also if the store has no tags
     */
    async readTags(
      { bucket, key, versionId }: VersionName,
      context?: CallContext,
      limitMs?: number,
    ): Promise<TaggedVersion | null> {
      const command = new GetObjectTaggingCommand({ Bucket: bucket, Key: key, VersionId: versionId });
      const permission = versionId === undefined ? "s3:GetObjectTagging" : "s3:GetObjectVersionTagging";
      try {
        const output = await send(command, { name: "get_tags", permission, limitMs, context });
        const { TagSet = [], VersionId } = output;
        return {
          tags: new Map(TagSet.map(({ Key = "", Value = "" }) => [Key, Value])),
          versionId: versionId ?? VersionId,
        };
      } catch (error) {
        // S3 answers 405 for a delete marker, and 400 or 404 for a version that does not exist.
        const isNoVersion = versionId !== undefined && [400, 404, 405].includes(statusOf(error) ?? 0);
        if (hasCode(error, "not_found") || (isNoVersion && hasCode(error, "provider_failed"))) return null;
        throw error;
      }
    },

    /** Creates an empty object if there is none. @throws AppError `name_taken`, `upload_conflict` */
    async createFolder({ bucket, key }: ObjectName, context?: CallContext): Promise<{ etag: string }> {
      const command = new PutObjectCommand({
        Bucket: bucket,
        Key: key,
        ContentLength: 0,
        ContentType: "application/x-directory",
        IfNoneMatch: "*",
      });
      const { ETag = "" } = await send(command, {
        name: "create_folder",
        permission: "s3:PutObject",
        context,
      });
      return { etag: ETag };
    },

    /**
     * Copies an object of at most 5 GiB with its metadata, tags and storage class, if it still has that ETag.
     * @param source `overwrite`: otherwise with `If-None-Match: *`, if the store supports it; `replaces`: overwrites only the object with this
     * ETag, if the store supports that
     * @returns the ETag of the copy, and its version; undefined if the bucket never kept versions
     * @throws AppError `name_taken` (also if the source has changed), `not_found`, `upload_conflict`
     */
    async copyObject(
      source: VersionName &
        Pick<ObjectContent, "size" | "etag" | "storageClass"> & {
          to: string;
          overwrite: boolean;
          replaces?: string | undefined;
        },
      context?: CallContext,
    ): Promise<{ etag: string; version: string | undefined }> {
      const { bucket, key, versionId, to, etag, size, overwrite, replaces } = source;
      const condition = overwrite ? replaces && { IfMatch: replaces } : { IfNoneMatch: "*" };
      const limitMs =
        size > SMALL_COPY_BYTES ? Math.max(LONG_COPY_TIMEOUT_MS, standardLimitMs) : standardLimitMs;
      const copy = (StorageClass: StorageClass | undefined) => (isConditional: boolean) => {
        const command = new CopyObjectCommand({
          Bucket: bucket,
          Key: to,
          CopySource: copySource({ bucket, key, versionId }),
          CopySourceIfMatch: etag,
          // S3's default for a copy is STANDARD, whatever the source has.
          StorageClass,
          ...(isConditional && condition),
        });
        return send(command, { name: "copy", permission: COPY_PERMISSION, limitMs, context });
      };
      const { CopyObjectResult, VersionId } = await firstAccepted(
        [source.storageClass, undefined],
        (storageClass) =>
          condition
            ? conditionally(`${overwrite ? "replace" : "copy"} ${bucket}`, copy(storageClass))
            : copy(storageClass)(false),
      );
      return { etag: quotedEtag(CopyObjectResult?.ETag ?? ""), version: VersionId };
    },

    /**
     * Deletes the object at that key, if there is one.
     * @param object `etag`: only if the object has this ETag; `version`: delete this version for good
     * @returns `marker`: the version of the delete marker that was created, or removed; undefined if there was none, or if the response that
     * told it was lost. `wasRepeated`: the SDK has sent the request before, without a response, so an earlier attempt may have deleted it.
     * @throws AppError with `etag`: `name_taken` if the ETag is another one, `not_found` if there was no object
     */
    async removeObject(
      { bucket, key, etag, version }: ObjectName & { etag?: string; version?: string },
      context?: CallContext,
    ): Promise<{ marker: string | undefined; wasRepeated: boolean }> {
      const remove = (isConditional: boolean) => {
        const command = new DeleteObjectCommand({
          Bucket: bucket,
          Key: key,
          VersionId: version,
          ...(isConditional && { IfMatch: etag }),
        });
        const permission = version === undefined ? "s3:DeleteObject" : "s3:DeleteObjectVersion";
        return send(command, { name: "delete", permission, context });
      };
      const removeUnlessChanged = async (isConditional: boolean) => {
        if (!isConditional || !enforcesConditions) {
          const found = await describeObject({ bucket, key }, context);
          if (found === null) throw objectNotFound();
          if (found.etag !== etag) throw nameTaken();
        }
        return remove(isConditional);
      };
      try {
        const { DeleteMarker, VersionId, $metadata } =
          etag === undefined
            ? await remove(false)
            : await conditionally(`delete ${bucket}`, removeUnlessChanged);
        const marker = DeleteMarker ? VersionId : undefined;
        return { marker, wasRepeated: ($metadata.attempts ?? 1) > 1 };
      } catch (error) {
        // It was there when the request was made, and its first attempt had no response.
        if (hasCode(error, "not_found") && wasRepeated(error))
          return { marker: undefined, wasRepeated: true };
        throw error;
      }
    },
  };
}

/**
 * Tries `work` with one option after the other until the store accepts one: some list storage classes that they do not accept, or have no
 * tags. The error of the last is thrown.
 */
export async function firstAccepted<Option, Output>(
  [first, ...others]: readonly [Option, ...Option[]],
  work: (option: Option) => Promise<Output>,
): Promise<Output> {
  let option = first;
  for (const next of others) {
    if (next === option) continue;
    try {
      return await work(option);
    } catch (error) {
      const status = statusOf(error);
      if (status !== 400 && status !== 501) throw error;
      option = next;
    }
  }
  return work(option);
}

/** The value of `x-amz-copy-source`: percent-encoded, except for slashes. */
export function copySource({ bucket, key, versionId }: VersionName): string {
  const object = `${bucket}/${key.split("/").map(encodeURIComponent).join("/")}`;
  return versionId === undefined ? object : `${object}?versionId=${encodeURIComponent(versionId)}`;
}
