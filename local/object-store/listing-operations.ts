import { encodeStrictly } from "../sigv4";
import { type Bucket, isDeleteMarker, type Version, versionIdOf } from "./bucket";
import { invalidArgument, S3Error } from "./errors";
import { isCommonPrefix, type ListingPage, listPage, namesFrom, positionAfter } from "./listing";
import { uploadIdOf } from "./multipart-operations";
import { checksumElements } from "./object-operations";
import { type Context, OWNER, type Reply, xmlReply } from "./operation";
import type { XmlObject } from "./xml";

const MAX_PAGE_SIZE = 1000;

/** Version 2 with `list-type=2`; otherwise version 1, which rclone and s3cmd use. */
export async function listObjects({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const type = query.get("list-type");
  if (type !== null && type !== "2") {
    throw invalidArgument("list-type", type, "Invalid List Type specified in Request");
  }
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = readEncoding(query);
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const maxKeys = readPageSize(query, "max-keys");
  const asked = { prefix, delimiter, maxKeys };
  const listing = {
    Name: bucket.name,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    EncodingType: encodingType,
    MaxKeys: maxKeys,
  };
  if (type === null) {
    const marker = query.get("marker") ?? "";
    const page = listPage(bucket.index, { ...asked, marker });
    return xmlReply("ListBucketResult", {
      ...listing,
      Marker: encode(marker),
      // Only with a delimiter, as in S3: otherwise clients continue after the last key.
      NextMarker: page.nextMarker === undefined || delimiter === "" ? undefined : encode(page.nextMarker),
      IsTruncated: page.nextMarker !== undefined,
      ...entriesOf(bucket, page, encode, true),
    });
  }
  const startAfter = query.get("start-after") ?? "";
  const continuationToken = query.get("continuation-token") ?? undefined;
  const page = listPage(bucket.index, { ...asked, startAfter, continuationToken });
  return xmlReply("ListBucketResult", {
    ...listing,
    StartAfter: startAfter === "" ? undefined : encode(startAfter),
    KeyCount: page.keys.length + page.commonPrefixes.length,
    IsTruncated: page.nextToken !== undefined,
    ContinuationToken: continuationToken,
    NextContinuationToken: page.nextToken,
    ...entriesOf(bucket, page, encode, query.get("fetch-owner") === "true"),
  });
}

function entriesOf(
  bucket: Bucket,
  page: ListingPage,
  encode: (text: string) => string,
  withOwner: boolean,
): XmlObject {
  return {
    Contents: page.keys.map((key) => {
      const { lastModified, etag, size, checksum, storageClass = "STANDARD" } = bucket.get(key);
      return {
        Key: encode(key),
        LastModified: new Date(lastModified).toISOString(),
        ETag: etag,
        ChecksumAlgorithm: checksum?.algorithm,
        ChecksumType: checksum?.type,
        Size: size,
        Owner: withOwner ? OWNER : undefined,
        StorageClass: storageClass,
      };
    }),
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
}

/** All versions of all keys, sorted by key, newest version first. Amazon S3 API Reference, "ListObjectVersions". */
export async function listObjectVersions({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = readEncoding(query);
  const [prefix, keyMarker] = [query.get("prefix") ?? "", query.get("key-marker") ?? ""];
  const versionMarker = query.get("version-id-marker") ?? "";
  if (versionMarker !== "" && keyMarker === "") {
    throw invalidArgument(
      "version-id-marker",
      versionMarker,
      "A version-id marker cannot be specified without a key marker.",
    );
  }
  const maxKeys = readPageSize(query, "max-keys");
  const delimiter = query.get("delimiter") ?? "";
  const found: (Version | string)[] = [];
  let isTruncated = false;
  for (const entry of versionsAfter(bucket, { prefix, delimiter, keyMarker, versionMarker })) {
    // A page of no entries is complete, as in S3.
    isTruncated = found.length >= maxKeys && maxKeys > 0;
    if (found.length >= maxKeys) break;
    found.push(entry);
  }
  const last = isTruncated ? found.at(-1) : undefined;
  const entries = found.filter((entry) => typeof entry !== "string");
  const describe = (version: Version) => ({
    Key: encode(version.key),
    VersionId: versionIdOf(version),
    IsLatest: bucket.versions(version.key)[0] === version,
    LastModified: new Date(version.lastModified).toISOString(),
    Owner: OWNER,
  });
  return xmlReply("ListVersionsResult", {
    Name: bucket.name,
    Prefix: encode(prefix),
    KeyMarker: encode(keyMarker),
    VersionIdMarker: versionMarker,
    MaxKeys: maxKeys,
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    EncodingType: encodingType,
    IsTruncated: isTruncated,
    NextKeyMarker: last && encode(typeof last === "string" ? last : last.key),
    NextVersionIdMarker: typeof last === "object" ? versionIdOf(last) : undefined,
    Version: entries.flatMap((version) => {
      if (isDeleteMarker(version)) return [];
      const { etag, size, storageClass = "STANDARD" } = version;
      return { ...describe(version), ETag: etag, Size: size, StorageClass: storageClass };
    }),
    DeleteMarker: entries.filter(isDeleteMarker).map(describe),
    CommonPrefixes: found
      .filter((entry) => typeof entry === "string")
      .map((prefix) => ({ Prefix: encode(prefix) })),
  });
}

/** Versions, and the common prefixes of keys that have the delimiter after the prefix. */
function* versionsAfter(
  bucket: Bucket,
  query: { prefix: string; delimiter: string; keyMarker: string; versionMarker: string },
): Generator<Version | string> {
  const { keyMarker, versionMarker } = query;
  const { allKeys } = bucket;
  // With a version marker, more versions of the marked key may follow.
  const start =
    versionMarker === ""
      ? positionAfter(allKeys, keyMarker, query)
      : Math.max(allKeys.firstFrom(query.prefix), allKeys.firstFrom(keyMarker));
  for (const name of namesFrom(allKeys, start, query)) {
    const versions = bucket.versions(name);
    if (isCommonPrefix(name, query)) yield name;
    else if (versionMarker === "" || name !== keyMarker) yield* versions;
    else yield* versions.slice(versions.findIndex((version) => versionIdOf(version) === versionMarker) + 1);
  }
}

/** All uploads in progress, in one page. */
export async function listMultipartUploads({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  refuseParameters(query, ["delimiter", "key-marker", "upload-id-marker", "max-uploads"]);
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = readEncoding(query);
  const prefix = query.get("prefix") ?? "";
  const uploads = bucket.uploads.list().filter(({ key }) => key.startsWith(prefix));
  return xmlReply("ListMultipartUploadsResult", {
    Bucket: bucket.name,
    EncodingType: encodingType,
    Prefix: encode(prefix),
    IsTruncated: false,
    Upload: uploads.map(({ key, id, initiated, checksum, storageClass = "STANDARD" }) => ({
      Key: encode(key),
      UploadId: id,
      Initiator: OWNER,
      Owner: OWNER,
      StorageClass: storageClass,
      Initiated: new Date(initiated).toISOString(),
      ChecksumAlgorithm: checksum?.algorithm,
      ChecksumType: checksum?.type,
    })),
  });
}

export async function listParts({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const upload = bucket.uploads.get(uploadIdOf(request), request.key);
  const { encode, encodingType } = readEncoding(query);
  const marker = readNumber(query, "part-number-marker", 0);
  const maxParts = readPageSize(query, "max-parts");
  const after = [...upload.parts.values()]
    .filter(({ number }) => number > marker)
    .sort((a, b) => a.number - b.number);
  const page = after.slice(0, maxParts);
  return xmlReply("ListPartsResult", {
    Bucket: bucket.name,
    EncodingType: encodingType,
    Key: encode(upload.key),
    UploadId: upload.id,
    Initiator: OWNER,
    Owner: OWNER,
    StorageClass: upload.storageClass ?? "STANDARD",
    PartNumberMarker: marker,
    NextPartNumberMarker: page.at(-1)?.number ?? marker,
    MaxParts: maxParts,
    IsTruncated: page.length > 0 && page.length < after.length,
    ChecksumAlgorithm: upload.checksum?.algorithm,
    ChecksumType: upload.checksum?.type,
    Part: page.map((part) => ({
      PartNumber: part.number,
      LastModified: new Date(part.lastModified).toISOString(),
      ETag: part.etag,
      Size: part.size,
      ...checksumElements(part.checksum),
    })),
  });
}

/** Throws NotImplemented for parameters that this store does not support. */
function refuseParameters(query: URLSearchParams, names: string[]): void {
  const name = names.find((unsupported) => query.get(unsupported));
  if (name) throw new S3Error("NotImplemented", `This store does not support ${name} here.`);
}

/** How a listing writes names: percent-encoded with `encoding-type=url`, otherwise as they are. Throws InvalidArgument. */
function readEncoding(query: URLSearchParams): {
  encodingType: string | undefined;
  encode: (text: string) => string;
} {
  const encodingType = query.get("encoding-type") ?? undefined;
  if (encodingType === undefined) return { encodingType, encode: (text) => text };
  if (encodingType === "url") return { encodingType, encode: encodeForListing };
  throw invalidArgument("encoding-type", encodingType, "Invalid Encoding Method specified in Request");
}

/** Slashes are kept, and a space is `+`, as in a form. */
function encodeForListing(text: string): string {
  return encodeStrictly(text).replaceAll("%2F", "/").replaceAll("%20", "+");
}

/** At most 1000, whatever is asked for. Throws InvalidArgument. */
function readPageSize(query: URLSearchParams, name: string): number {
  return Math.min(readNumber(query, name, MAX_PAGE_SIZE), MAX_PAGE_SIZE);
}

/** Throws InvalidArgument. */
function readNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name) || String(fallback);
  if (/^[0-9]{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  throw invalidArgument(name, text, `${name} must be a whole number between 0 and 2147483647`);
}
