import {
  GetBucketVersioningCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { AppError } from "../app-error";
import { type CallContext, timeLeft } from "../request-context.server";
import { type ObjectContent, unixSeconds, unusual } from "./object-changes.server";
import type { CallStore } from "./s3-client.server";
import type { StoreClock } from "./store-clock.server";

export type ListedObject = ObjectContent & { key: string };

/** The newest version of a key: an object, or the marker of its deletion. */
export interface LatestVersion extends ListedObject {
  /** the version of the delete marker; undefined where there is an object */
  marker: string | undefined;
  /** unix seconds, of a delete marker */
  deletedAt: number;
}

export interface Page<Entry> {
  entries: Entry[];
  /** the key to go on after; null on the last page */
  next: string | null;
}

interface BelowPrefix {
  bucket: string;
  prefix: string;
  after: string | undefined;
  pageSize?: number;
}

/** All that lies below a folder, however deep, and its versions. All throw what `ObjectStore.list` does. */
export function createTreeListings(
  client: S3Client,
  call: CallStore,
  standardLimit: number,
  clock: StoreClock,
) {
  return {
    /** One page of all objects below a prefix, however deep, after a key. */
    async listBelow(
      { bucket, prefix, after, pageSize = 1000 }: BelowPrefix,
      request?: CallContext,
    ): Promise<Page<ListedObject>> {
      const page = { Bucket: bucket, Prefix: prefix, StartAfter: after, MaxKeys: pageSize };
      const ask = (ContinuationToken: string | undefined) =>
        call("list", { bucket, permission: "s3:ListBucket" }, timeLeft(standardLimit, request), (options) =>
          client.send(new ListObjectsV2Command({ ...page, ContinuationToken }), options),
        );
      let found = await ask(undefined);
      // A store may look through deleted objects for so long that it finds none for a page.
      while (found.IsTruncated && found.NextContinuationToken && (found.Contents ?? []).length === 0) {
        found = await ask(found.NextContinuationToken);
      }
      const entries = (found.Contents ?? []).map(
        ({ Key = "", Size = 0, ETag = "", LastModified, StorageClass }) => ({
          key: Key,
          size: Size,
          etag: ETag,
          modified: unixSeconds(LastModified),
          storageClass: unusual(StorageClass),
        }),
      );
      return { entries, next: found.IsTruncated ? (entries.at(-1)?.key ?? null) : null };
    },

    /** One page of the newest versions of all keys below a prefix, after a key, those that are deleted too. */
    async listVersionsBelow(
      { bucket, prefix, after, pageSize = 1000 }: BelowPrefix,
      request?: CallContext,
    ): Promise<Page<LatestVersion>> {
      const command = new ListObjectVersionsCommand({
        Bucket: bucket,
        Prefix: prefix,
        KeyMarker: after,
        MaxKeys: pageSize,
      });
      const page = await call(
        "list_versions",
        { bucket, permission: "s3:ListBucketVersions" },
        timeLeft(standardLimit, request),
        (options) => client.send(command, options),
      );
      const versions = (page.Versions ?? []).map((version) => ({
        ...version,
        marker: undefined,
      }));
      const markers = (page.DeleteMarkers ?? []).map((marker) => ({
        ...marker,
        Size: 0,
        ETag: "",
        marker: marker.VersionId,
      }));
      const entries = [...versions, ...markers]
        .filter(({ IsLatest }) => IsLatest)
        .map(({ Key = "", Size = 0, ETag = "", LastModified = new Date(0), marker }) => ({
          key: Key,
          size: Size,
          etag: ETag,
          modified: unixSeconds(LastModified),
          marker,
          deletedAt: LastModified.getTime() / 1000,
        }))
        .sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
      // Older versions of the last key may be on the next page: going on after the key leaves them out.
      return { entries, next: page.IsTruncated ? (page.NextKeyMarker ?? null) : null };
    },

    /** Whether what is deleted can be had back: false where the store does not say, or has no versions. */
    async keepsVersions(bucket: string, request?: CallContext): Promise<boolean> {
      try {
        const { Status } = await call(
          "get_versioning",
          { bucket, permission: "s3:GetBucketVersioning" },
          timeLeft(standardLimit, request),
          (options) => client.send(new GetBucketVersioningCommand({ Bucket: bucket }), options),
        );
        return Status === "Enabled";
      } catch (error) {
        if (error instanceof AppError && error.code === "provider_failed") return false;
        throw error;
      }
    },

    /** The store's time, as far as it is known: whole seconds, which may be one too few. Unix. */
    storeSeconds: () => Math.floor((Date.now() + clock.aheadMs) / 1000) - 1,
  };
}
