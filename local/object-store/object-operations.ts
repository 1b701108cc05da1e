import { createWriteStream } from "node:fs";
import { checksumHeader } from "../../embed-element/shared/checksums";
import { type Digest, MAX_PUT_BYTES, writeAndDigest } from "./body";
import { type Bucket, isDeleteMarker, type ObjectRecord, versionIdOf, wholeSecond } from "./bucket";
import type { Checksum } from "./checksums";
import {
  checkCopyCondition,
  checkDeleteCondition,
  checkReadConditions,
  checkWriteConditions,
  readRange,
} from "./conditions";
import { invalidArgument, malformedXml, S3Error } from "./errors";
import {
  checkTags,
  readObjectHeaders,
  readResponseOverrides,
  readStorageClass,
  readTags,
} from "./object-headers";
import { type Context, type Headers, type Reply, xmlReply } from "./operation";
import type { S3Request } from "./request";
import type { ObjectStorage } from "./storage";
import { childrenNamed, parseXml, textOf } from "./xml";

const MAX_KEYS_TO_DELETE = 1000;

export async function putObject({ request, body, storage }: Context): Promise<Reply> {
  const described = {
    headers: readObjectHeaders(request),
    ...readStorageClass(request),
    ...readTags(request),
  };
  const record = await storeObject(request, storage, described, (path) =>
    body.pipeTo(() => createWriteStream(path)),
  );
  const version = storage.get(request.bucket).versionHeader(record);
  return { status: 200, headers: { etag: record.etag, ...checksumHeaders(record.checksum), ...version } };
}

/**
 * Copies an object within this store, with its tags, and with its headers unless `x-amz-metadata-directive` is REPLACE; not
 * with its storage class. Amazon S3 API Reference, "CopyObject".
 */
export async function copyObject({ request, storage }: Context): Promise<Reply> {
  const { bucket, source, isOlder } = findCopySource(request, storage);
  const copied = copiedVersion(bucket, source);
  const directive = request.header("x-amz-metadata-directive") ?? "COPY";
  if (directive !== "COPY" && directive !== "REPLACE") {
    throw invalidArgument("x-amz-metadata-directive", directive, "Unknown metadata directive.");
  }
  const isItself = bucket.name === request.bucket && source.key === request.key && !isOlder;
  if (directive === "COPY" && isItself) {
    throw new S3Error(
      "InvalidRequest",
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
    );
  }
  if (source.size > MAX_PUT_BYTES) {
    throw new S3Error(
      "InvalidRequest",
      `The specified copy source is larger than the maximum allowable size for a copy source: ${MAX_PUT_BYTES}`,
    );
  }
  const described = {
    headers: directive === "REPLACE" ? readObjectHeaders(request) : source.headers,
    ...readStorageClass(request),
    ...(source.tags && { tags: source.tags }),
  };
  const record = await storeObject(request, storage, described, (path) =>
    writeAndDigest(bucket.data.read(source.pieces), createWriteStream(path), source.checksum?.algorithm),
  );
  const content = {
    LastModified: new Date(record.lastModified).toISOString(),
    ETag: record.etag,
    ...checksumElements(record.checksum),
  };
  const version = storage.get(request.bucket).versionHeader(record);
  return xmlReply("CopyObjectResult", content, { ...copied, ...version });
}

/** Says which version was copied, if the source's bucket has versions. */
export function copiedVersion(bucket: Bucket, source: ObjectRecord): Headers {
  const { "x-amz-version-id": id } = bucket.versionHeader(source);
  return id === undefined ? {} : { "x-amz-copy-source-version-id": id };
}

/**
 * The object or version that `x-amz-copy-source` names. Throws InvalidArgument, NoSuchBucket, NoSuchKey, NoSuchVersion and
 * PreconditionFailed.
 */
export function findCopySource(
  request: S3Request,
  storage: ObjectStorage,
): { bucket: Bucket; source: ObjectRecord; isOlder: boolean } {
  const { versionId, ...from } = decodeCopySource(request.header("x-amz-copy-source") ?? "");
  const bucket = storage.get(from.bucket);
  const source = versionId === undefined ? bucket.get(from.key) : bucket.getVersion(from.key, versionId);
  if (isDeleteMarker(source)) {
    throw new S3Error("InvalidRequest", "The source of a copy request may not be a delete marker.");
  }
  checkCopyCondition(request, source);
  return { bucket, source, isOlder: bucket.versions(from.key)[0] !== source };
}

/** `/bucket/key` or `bucket/key`, percent-encoded, possibly with `?versionId=`. */
function decodeCopySource(encoded: string): { bucket: string; key: string; versionId: string | undefined } {
  const [, bucket, key, version] = /^\/?([^/?]+)\/([^?]+)(?:\?versionId=([^&]+))?$/.exec(encoded) ?? [];
  try {
    if (bucket !== undefined && key !== undefined) {
      return { bucket, key: decodeURIComponent(key), versionId: version && decodeURIComponent(version) };
    }
  } catch {
    // Handled below, like a source without a key.
  }
  throw invalidArgument(
    "x-amz-copy-source",
    encoded,
    "Copy Source must mention the source bucket and key, URL-encoded: sourcebucket/sourcekey",
  );
}

/** Lets `write` write the bytes to a new file, and then makes them the object if the request's conditions hold. */
async function storeObject(
  request: S3Request,
  storage: ObjectStorage,
  described: Pick<ObjectRecord, "headers" | "tags" | "storageClass">,
  write: (path: string) => Promise<Digest>,
): Promise<ObjectRecord> {
  const { key } = request;
  const bucket = storage.get(request.bucket);
  checkWriteConditions(request, bucket.find(key));
  return bucket.data.create(key, write, ({ size, md5, checksum }, file) => {
    const record: ObjectRecord = {
      key,
      size,
      ...bucket.etagOf(md5),
      lastModified: wholeSecond(),
      ...described,
      ...(checksum && { checksum: { ...checksum, type: "FULL_OBJECT" } }),
      pieces: [{ file, size }],
    };
    // Look up and check again: while the bytes arrived, another request may have stored the object or removed the bucket.
    const target = storage.get(request.bucket);
    return target.commit(record, (current) => checkWriteConditions(request, current));
  });
}

export async function getObject({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const record = findRecord(request, bucket);
  const reply = describeObject(request, bucket, record);
  return { ...reply, body: bucket.data.read(record.pieces, readRange(request, record)) };
}

export async function headObject({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  return describeObject(request, bucket, findRecord(request, bucket));
}

/** The object, or the version that `versionId` names. Throws NoSuchKey, NoSuchVersion and MethodNotAllowed. */
function findRecord({ key, query }: S3Request, bucket: Bucket): ObjectRecord {
  const id = query.get("versionId");
  if (id === null) return bucket.get(key);
  const version = bucket.getVersion(key, id);
  if (!isDeleteMarker(version)) return version;
  const headers = { "x-amz-delete-marker": "true", ...bucket.versionHeader(version) };
  throw new S3Error(
    "MethodNotAllowed",
    "The specified method is not allowed against this resource.",
    {},
    headers,
  );
}

function describeObject(request: S3Request, bucket: Bucket, record: ObjectRecord): Reply {
  checkReadConditions(request, record);
  const range = readRange(request, record);
  const withChecksum = request.header("x-amz-checksum-mode") === "ENABLED" && range === undefined;
  return {
    status: range ? 206 : 200,
    headers: {
      ...record.headers,
      ...readResponseOverrides(request),
      ...(withChecksum && checksumHeaders(record.checksum)),
      ...bucket.versionHeader(record),
      ...(record.tags && { "x-amz-tagging-count": String(Object.keys(record.tags).length) }),
      ...(record.encryption && { "x-amz-server-side-encryption": record.encryption }),
      ...(record.storageClass && { "x-amz-storage-class": record.storageClass }),
      "accept-ranges": "bytes",
      etag: record.etag,
      "last-modified": new Date(record.lastModified).toUTCString(),
      "content-length": String(range ? range.end - range.start + 1 : record.size),
      ...(range && { "content-range": `bytes ${range.start}-${range.end}/${record.size}` }),
    },
  };
}

export async function getObjectTagging({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const record = findRecord(request, bucket);
  const Tag = Object.entries(record.tags ?? {}).map(([Key, Value]) => ({ Key, Value }));
  return xmlReply("Tagging", { TagSet: { Tag } }, bucket.versionHeader(record));
}

/** Replaces all tags of an object or a version. Amazon S3 API Reference, "PutObjectTagging". */
export async function putObjectTagging({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  const root = parseXml(await body.readDocument(), "Tagging");
  const [tagSet] = childrenNamed(root, "TagSet");
  if (tagSet === undefined) throw malformedXml();
  const pairs = childrenNamed(tagSet, "Tag").map((tag): [string, string] => {
    const [name, value] = [textOf(tag, "Key"), textOf(tag, "Value")];
    if (name === undefined || value === undefined) throw malformedXml();
    return [name, value];
  });
  // Looked up after the body has been read: another request may have replaced the object.
  const record = findRecord(request, bucket);
  bucket.setTags(record, checkTags(pairs));
  return { status: 200, headers: bucket.versionHeader(record) };
}

/** With versioning, adds a delete marker. With `versionId`, removes that version or delete marker for good. */
export async function deleteObject({ request, storage }: Context): Promise<Reply> {
  const { key } = request;
  const bucket = storage.get(request.bucket);
  const id = request.query.get("versionId");
  if (id === null) checkDeleteCondition(request, bucket.find(key));
  const touched = id === null ? bucket.remove(key) : bucket.removeVersion(key, id);
  if (touched === undefined) return { status: 204 };
  const marker: Headers = isDeleteMarker(touched) ? { "x-amz-delete-marker": "true" } : {};
  return { status: 204, headers: { ...marker, ...bucket.versionHeader(touched) } };
}

/** Deletes many objects, or some of their versions. Amazon S3 API Reference, "DeleteObjects". */
export async function deleteObjects({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  const root = parseXml(await body.readDocument(), "Delete");
  const nodes = childrenNamed(root, "Object");
  const named = nodes.map((node) => ({
    Key: textOf(node, "Key") ?? "",
    VersionId: textOf(node, "VersionId"),
  }));
  if (named.length === 0 || named.length > MAX_KEYS_TO_DELETE || named.some(({ Key }) => Key === ""))
    throw malformedXml();
  const unknown = nodes
    .flatMap(({ children }) => children)
    .find(({ name }) => name !== "Key" && name !== "VersionId");
  if (unknown) {
    throw new S3Error(
      "NotImplemented",
      `This store does not support ${unknown.name} of an object to delete.`,
    );
  }
  const deleted = named.map(({ Key, VersionId }) => {
    const touched = VersionId === undefined ? bucket.remove(Key) : bucket.removeVersion(Key, VersionId);
    const isMarker = touched !== undefined && isDeleteMarker(touched);
    return {
      Key,
      VersionId,
      ...(isMarker && { DeleteMarker: true, DeleteMarkerVersionId: versionIdOf(touched) }),
    };
  });
  return xmlReply("DeleteResult", { Deleted: textOf(root, "Quiet") === "true" ? [] : deleted });
}

function checksumHeaders(checksum: Checksum | undefined): Headers {
  if (!checksum) return {};
  return { [checksumHeader(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": checksum.type };
}

export function checksumElements(
  checksum: Partial<Checksum> | undefined,
): Record<string, string | undefined> {
  if (!checksum) return {};
  return { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type };
}
