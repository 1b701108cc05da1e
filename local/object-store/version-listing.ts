import type { Bucket } from "./bucket";
import type { Context } from "./context";
import { S3Error } from "./errors";
import { OWNER } from "./features";
import { listingEncoding, readCount } from "./listing-parameters";
import { idOf, isDeleteMarker, type Version } from "./object-record";
import { type Reply, xmlReply } from "./reply";

/** Every version of every key, keys in order, the newest version first. Amazon S3 API Reference, "ListObjectVersions". */
export async function listObjectVersions({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = listingEncoding(query);
  if (query.get("delimiter")) {
    throw new S3Error("NotImplemented", "This store lists versions without a delimiter.");
  }
  const [prefix, keyMarker] = [query.get("prefix") ?? "", query.get("key-marker") ?? ""];
  const versionMarker = query.get("version-id-marker") ?? "";
  if (versionMarker !== "" && keyMarker === "") {
    throw new S3Error("InvalidArgument", "A version-id marker cannot be specified without a key marker.", {
      ArgumentName: "version-id-marker",
      ArgumentValue: versionMarker,
    });
  }
  const maxKeys = readCount(query, "max-keys");
  const entries: Version[] = [];
  let isTruncated = false;
  for (const version of versionsAfter(bucket, prefix, keyMarker, versionMarker)) {
    isTruncated = entries.length >= maxKeys;
    if (isTruncated) break;
    entries.push(version);
  }
  const last = entries.at(-1);
  const describe = (version: Version) => ({
    Key: encode(version.key),
    VersionId: idOf(version),
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
    EncodingType: encodingType,
    IsTruncated: isTruncated,
    NextKeyMarker: isTruncated && last ? encode(last.key) : undefined,
    NextVersionIdMarker: isTruncated && last ? idOf(last) : undefined,
    Version: entries.flatMap((version) =>
      isDeleteMarker(version)
        ? []
        : {
            ...describe(version),
            ETag: version.etag,
            Size: version.size,
            StorageClass: version.storageClass ?? "STANDARD",
          },
    ),
    DeleteMarker: entries.filter(isDeleteMarker).map(describe),
  });
}

function* versionsAfter(
  bucket: Bucket,
  prefix: string,
  keyMarker: string,
  versionMarker: string,
): Generator<Version> {
  const { allKeys } = bucket;
  const isWithin = versionMarker !== "";
  const marked = isWithin ? allKeys.firstFrom(keyMarker) : allKeys.firstAfter(keyMarker);
  let position = Math.max(allKeys.firstFrom(prefix), keyMarker === "" ? 0 : marked);
  for (let key = allKeys.at(position); key?.startsWith(prefix); key = allKeys.at(++position)) {
    const versions = bucket.versions(key);
    const seen =
      isWithin && key === keyMarker
        ? versions.findIndex((version) => idOf(version) === versionMarker) + 1
        : 0;
    yield* versions.slice(seen);
  }
}
