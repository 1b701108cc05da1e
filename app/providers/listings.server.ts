import {
  type _Object,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ObjectStorageClass,
  type StorageClass,
  type ObjectVersion as StoreVersion,
} from "@aws-sdk/client-s3";
import { Semaphore } from "../../embed-element/shared/semaphore";
import type { CallContext } from "../shared/request-context.server";
import type { SendToStore } from "./s3-client.server";

/** Maximum number of keys in one page of S3. */
const MAX_PAGE_SIZE = 1_000;
/**
 * Pages of whole subtrees that this process requests at once. Parsing one takes up to 20 ms. All that have arrived are parsed one after the
 * other, and Node accepts one new connection in between: with more pages, other requests would wait for seconds.
 */
const MAX_CONCURRENT_PAGES = 4;
/** Smaller pages of versions are parsed so fast that they need not wait for their turn. */
const SMALL_PAGE_SIZE = 100;

/** What tells whether two objects hold the same bytes. */
export interface ObjectContent {
  /** bytes */
  size: number;
  etag: string;
  /** unix seconds by the store's clock, without fractions */
  modified: number;
  /** of the whole object, `CRC32:…`; undefined if the store has none or was not asked */
  checksum?: string | undefined;
  /** undefined for `STANDARD`, which is the default */
  storageClass?: StorageClass | undefined;
}

export interface ListedObject extends ObjectContent {
  key: string;
  lastModified: Date;
}

/** One version of a key: an object or a delete marker. */
export interface ObjectVersion {
  key: string;
  versionId: string;
  isLatest: boolean;
  /** a delete marker, which hides the versions below it */
  isMarker: boolean;
  /** bytes; 0 for a delete marker */
  size: number;
  /** empty for a delete marker */
  etag: string;
  /** by the store's clock; Amazon's has whole seconds */
  lastModified: Date;
}

/** The last version of a page, or a subfolder of which nothing more is wanted. */
export interface VersionPosition {
  key: string;
  /** undefined: continue after all versions of the key */
  versionId: string | undefined;
}

export interface VersionPage {
  /** by key, and newest first */
  versions: ObjectVersion[];
  /** prefixes of subfolders; only where they are grouped */
  prefixes: string[];
  /** pass as `after` for the next page; null on the last page */
  next: VersionPosition | null;
}

/** The newest version of a key: an object or a delete marker. */
export interface LatestVersion extends ObjectContent {
  key: string;
  /** the version of the delete marker; undefined if there is an object */
  marker: string | undefined;
  /** unix seconds; when the delete marker was made */
  deletedAt: number;
}

export interface Page<Entry> {
  entries: Entry[];
  /** the key to pass as `after` for the next page; null on the last page */
  next: string | null;
}

interface PageBelow {
  bucket: string;
  prefix: string;
  /** only keys that come after it */
  after?: string | undefined;
  pageSize?: number;
  /** ends the wait for the page's turn, but not a request to the store */
  signal?: AbortSignal;
}

interface VersionsBelow extends Omit<PageBelow, "after"> {
  after?: VersionPosition | undefined;
  isGrouped?: boolean;
}

export function createListings(send: SendToStore) {
  const pages = new Semaphore(MAX_CONCURRENT_PAGES);
  /** A page that waits longer than its request may take fails at once when its turn comes. */
  const sendInTurn =
    (signal?: AbortSignal): SendToStore =>
    (command, options) =>
      pages.run(() => send(command, options), signal);

  return {
    /**
     * One page of a folder: the objects in it and the prefixes of its subfolders.
     * @param input `limitMs`: milliseconds; CLOUD_S3_TIMEOUT_SECONDS by default
     * @throws AppError `bucket_not_found`, `invalid_request` (a cursor of another listing), `provider_failed`, `unavailable`
     */
    async list(
      input: {
        bucket: string;
        prefix: string;
        cursor?: string | undefined;
        pageSize?: number;
        limitMs?: number | undefined;
      },
      context?: CallContext,
    ) {
      const { bucket, prefix, cursor, pageSize = MAX_PAGE_SIZE, limitMs } = input;
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: "/",
        MaxKeys: pageSize,
        ContinuationToken: cursor,
        EncodingType: "url",
      });
      const withCursor = cursor !== undefined;
      const permission = "s3:ListBucket";
      const page = await send(command, { name: "list", permission, withCursor, limitMs, context });
      const decode = decoderOf(page);
      return {
        prefixes: (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => decode(Prefix)),
        objects: (page.Contents ?? []).map((object) => toListedObject(object, decode)),
        nextCursor: page.NextContinuationToken ?? null,
      };
    },

    /** One page of all objects below a prefix, in subfolders too. @throws AppError as `list`; the signal's reason */
    async listBelow(
      { bucket, prefix, after, pageSize = MAX_PAGE_SIZE, signal }: PageBelow,
      context?: CallContext,
    ): Promise<Page<ListedObject>> {
      const page = {
        Bucket: bucket,
        Prefix: prefix,
        StartAfter: after,
        MaxKeys: pageSize,
        EncodingType: "url" as const,
      };
      const ask = (ContinuationToken: string | undefined) =>
        sendInTurn(signal)(new ListObjectsV2Command({ ...page, ContinuationToken }), {
          name: "list",
          permission: "s3:ListBucket",
          context,
        });
      let found = await ask(undefined);
      // A store that skips many deleted objects may return an empty page before the last one.
      while (found.IsTruncated && found.NextContinuationToken && (found.Contents ?? []).length === 0) {
        found = await ask(found.NextContinuationToken);
      }
      const decode = decoderOf(found);
      const entries = (found.Contents ?? []).map((object) => toListedObject(object, decode));
      return { entries, next: found.IsTruncated ? (entries.at(-1)?.key ?? null) : null };
    },

    /**
     * One page of all versions and delete markers below a prefix, newest first for each key.
     * @param page `isGrouped`: returns subfolders as `prefixes` instead of their contents
     * @throws as `listBelow`
     */
    async listVersions(
      { bucket, prefix, after, isGrouped = false, pageSize = MAX_PAGE_SIZE, signal }: VersionsBelow,
      context?: CallContext,
    ): Promise<VersionPage> {
      const command = new ListObjectVersionsCommand({
        Bucket: bucket,
        Prefix: prefix,
        Delimiter: isGrouped ? "/" : undefined,
        KeyMarker: after?.key,
        VersionIdMarker: after?.versionId,
        MaxKeys: pageSize,
        EncodingType: "url",
      });
      const permission = "s3:ListBucketVersions";
      const ask = pageSize > SMALL_PAGE_SIZE ? sendInTurn(signal) : send;
      const page = await ask(command, { name: "list_versions", permission, context });
      const decode = decoderOf(page);
      const objects = (page.Versions ?? []).map((version) => toObjectVersion(version, decode, false));
      const markers = (page.DeleteMarkers ?? []).map((marker) => toObjectVersion(marker, decode, true));
      return {
        versions: [...objects, ...markers].sort(byKeyNewestFirst),
        prefixes: (page.CommonPrefixes ?? []).map(({ Prefix = "" }) => decode(Prefix)),
        next:
          page.IsTruncated && page.NextKeyMarker !== undefined
            ? { key: decode(page.NextKeyMarker), versionId: page.NextVersionIdMarker }
            : null,
      };
    },

    /**
     * Uploads in parts that are neither complete nor aborted, below a prefix: the first thousand.
     * @returns `isAll`: whether there are no others
     * @throws as `list`
     */
    async listUnfinishedUploads(
      { bucket, prefix }: Pick<PageBelow, "bucket" | "prefix">,
      context?: CallContext,
    ): Promise<{ uploads: { key: string; uploadId: string }[]; isAll: boolean }> {
      const command = new ListMultipartUploadsCommand({
        Bucket: bucket,
        Prefix: prefix,
        EncodingType: "url",
      });
      const permission = "s3:ListBucketMultipartUploads";
      const page = await send(command, { name: "list_uploads", permission, context });
      const decode = decoderOf(page);
      const uploads = (page.Uploads ?? []).map(({ Key = "", UploadId = "" }) => ({
        key: decode(Key),
        uploadId: UploadId,
      }));
      return { uploads, isAll: !page.IsTruncated };
    },

    /** One page of the newest versions of all keys below a prefix, deleted ones included. @throws as `listBelow` */
    async listVersionsBelow(
      { after, ...page }: PageBelow,
      context?: CallContext,
    ): Promise<Page<LatestVersion>> {
      const position = after === undefined ? undefined : { key: after, versionId: undefined };
      const { versions, next } = await this.listVersions({ ...page, after: position }, context);
      const entries = versions
        .filter(({ isLatest }) => isLatest)
        .map(({ key, versionId, isMarker, size, etag, lastModified }) => ({
          key,
          size,
          etag,
          modified: unixSeconds(lastModified),
          marker: isMarker ? versionId : undefined,
          deletedAt: lastModified.getTime() / 1000,
        }));
      // The next page may begin with older versions of the last key: continuing after the key skips them.
      return { entries, next: next?.key ?? null };
    },
  };
}

/**
 * Decodes the keys of a page. XML cannot hold most control characters, and parsers change others, so pages are requested with `EncodingType`.
 * Stores that do not know it return keys as they are, and do not name the encoding.
 */
function decoderOf({ EncodingType }: { EncodingType?: string | undefined }): (text: string) => string {
  if (EncodingType !== "url") return (text) => text;
  // Most keys of most buckets need no decoding.
  return (text) => (/[%+]/.test(text) ? decodeURIComponent(text.replaceAll("+", " ")) : text);
}

function toListedObject(
  { Key = "", Size = 0, ETag = "", LastModified = new Date(0), StorageClass }: _Object,
  decode: (text: string) => string,
): ListedObject {
  const modified = unixSeconds(LastModified);
  const storageClass = unlessStandard(StorageClass);
  return { key: decode(Key), size: Size, etag: ETag, modified, lastModified: LastModified, storageClass };
}

function toObjectVersion(
  {
    Key = "",
    VersionId = "null",
    IsLatest = false,
    Size = 0,
    ETag = "",
    LastModified = new Date(0),
  }: StoreVersion,
  decode: (text: string) => string,
  isMarker: boolean,
): ObjectVersion {
  const content = isMarker ? { size: 0, etag: "" } : { size: Size, etag: ETag };
  return {
    key: decode(Key),
    versionId: VersionId,
    isLatest: IsLatest,
    isMarker,
    ...content,
    lastModified: LastModified,
  };
}

/**
 * The order in which the store has them: the SDK splits it into objects and delete markers. If both have the same second, the delete
 * marker counts as the newer one, unless the store says that the object is the latest.
 */
function byKeyNewestFirst(one: ObjectVersion, other: ObjectVersion): number {
  if (one.key !== other.key) return compareKeys(one.key, other.key);
  return (
    Number(other.isLatest) - Number(one.isLatest) ||
    other.lastModified.getTime() - one.lastModified.getTime() ||
    Number(other.isMarker) - Number(one.isMarker)
  );
}

/** Orders keys by their UTF-8 bytes, as stores do. */
export const compareKeys = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Times of objects have no fractions of a second, and the store's clock may differ from ours. */
export const CLOCK_TOLERANCE_SECONDS = 5;

/** The earliest time that counts as since `seconds` (unix seconds), for SQL. */
export const earliestSince = (seconds: number): string =>
  new Date((seconds - CLOCK_TOLERANCE_SECONDS) * 1000).toISOString();

/** Without fractions, which only listings have: HEAD has whole seconds. */
export const unixSeconds = (date = new Date(0)) => Math.floor(date.getTime() / 1000);

export const unlessStandard = (storageClass: StorageClass | ObjectStorageClass | undefined) =>
  storageClass === "STANDARD" ? undefined : (storageClass as StorageClass | undefined);
