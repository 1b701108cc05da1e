import { createWriteStream } from "node:fs";
import { LARGEST_PUT } from "./body";
import type { Bucket } from "./bucket";
import { type Checksum, checksumHeader, readAlgorithm } from "./checksums";
import { checkDeleteCondition, checkReadConditions, checkWriteConditions, readRange } from "./conditions";
import type { Context } from "./context";
import { copyBytes, findCopySource } from "./copying";
import { S3Error } from "./errors";
import { readAttributes, readObjectHeaders, readOverrides } from "./object-headers";
import { isDeleteMarker, type ObjectRecord } from "./object-record";
import { type Reply, type ReplyHeaders, xmlReply } from "./reply";
import type { S3Request } from "./request";
import type { ObjectStorage } from "./storage";
import { readCopiedTags, readTagsHeader } from "./tags";
import type { Received } from "./tally";

export async function putObject({ request, body, storage }: Context): Promise<Reply> {
  const kept = { headers: readObjectHeaders(request), ...readAttributes(request, readTagsHeader(request)) };
  const record = await storeObject(request, storage, kept, (path) =>
    body.pipeTo(() => createWriteStream(path)),
  );
  const version = storage.get(request.bucket).versionHeader(record);
  return { status: 200, headers: { etag: record.etag, ...checksumHeaders(record.checksum), ...version } };
}

/**
 * Within this store; the object's headers come along unless `x-amz-metadata-directive: REPLACE`, its tags likewise, and its storage class
 * never does. Amazon S3 API Reference, "CopyObject".
 */
export async function copyObject({ request, storage }: Context): Promise<Reply> {
  const source = findCopySource(request, storage);
  const { record: from, bucket } = source;
  const replace = readDirective(request) === "REPLACE";
  if (!replace && bucket.name === request.bucket && from.key === request.key) {
    throw new S3Error(
      "InvalidRequest",
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
    );
  }
  if (from.size > LARGEST_PUT) {
    throw new S3Error(
      "InvalidRequest",
      `The specified copy source is larger than the maximum allowable size for a copy source: ${LARGEST_PUT}`,
    );
  }
  const asked = request.header("x-amz-checksum-algorithm");
  const algorithm = asked === undefined ? from.checksum?.algorithm : readAlgorithm(asked);
  const headers = replace ? readObjectHeaders(request) : from.headers;
  const kept = { headers, ...readAttributes(request, readCopiedTags(request, from)) };
  const record = await storeObject(request, storage, kept, (path) => copyBytes(source, path, { algorithm }));
  const content = {
    LastModified: new Date(record.lastModified).toISOString(),
    ETag: record.etag,
    ...checksumElements(record.checksum),
  };
  return xmlReply("CopyObjectResult", content, storage.get(request.bucket).versionHeader(record));
}

function readDirective(request: S3Request): string {
  const directive = request.header("x-amz-metadata-directive") ?? "COPY";
  if (directive === "COPY" || directive === "REPLACE") return directive;
  throw new S3Error("InvalidArgument", "Unknown metadata directive.", {
    ArgumentName: "x-amz-metadata-directive",
    ArgumentValue: directive,
  });
}

/** Has `write` put the bytes where they belong, then makes them the object, if the request's conditions hold. */
async function storeObject(
  request: S3Request,
  storage: ObjectStorage,
  kept: Pick<ObjectRecord, "headers" | "tags" | "storageClass">,
  write: (path: string) => Promise<Received>,
): Promise<ObjectRecord> {
  const { key } = request;
  const bucket = storage.get(request.bucket);
  checkWriteConditions(request, bucket.find(key));
  const file = bucket.data.newName(key);
  try {
    const { size, md5, checksum } = await write(bucket.data.path(file));
    const record: ObjectRecord = {
      key,
      size,
      ...bucket.sealed(md5),
      lastModified: wholeSecond(),
      ...kept,
      ...(checksum && { checksum: { ...checksum, type: "FULL_OBJECT" } }),
      pieces: [{ file, size }],
    };
    // Asked again: while these bytes were on their way others may have come first, or the bucket be gone.
    const target = storage.get(request.bucket);
    return target.commit(record, (current) => checkWriteConditions(request, current));
  } catch (error) {
    bucket.data.discard([{ file, size: 0 }]);
    throw error;
  }
}

/** S3 keeps no finer time. */
export function wholeSecond(): number {
  return Math.floor(Date.now() / 1000) * 1000;
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

/** The object, or the version that `versionId` names. Throws NoSuchKey, NoSuchVersion, MethodNotAllowed. */
function findRecord({ key, query }: S3Request, bucket: Bucket): ObjectRecord {
  const id = query.get("versionId");
  if (id === null) return bucket.get(key);
  const version = bucket.getVersion(key, id);
  if (!isDeleteMarker(version)) return version;
  throw new S3Error(
    "MethodNotAllowed",
    "The specified method is not allowed against this resource.",
    {},
    {
      "x-amz-delete-marker": "true",
      ...bucket.versionHeader(version),
    },
  );
}

/** With versioning it leaves a marker; with `versionId` it takes that version away for good, a marker too. */
export async function deleteObject({ request, storage }: Context): Promise<Reply> {
  const { key } = request;
  const bucket = storage.get(request.bucket);
  const id = request.query.get("versionId");
  if (id === null) checkDeleteCondition(request.header("if-match"), key, bucket.find(key));
  const touched = id === null ? bucket.remove(key) : bucket.removeVersion(key, id);
  if (touched === undefined) return { status: 204 };
  const marker: ReplyHeaders = isDeleteMarker(touched) ? { "x-amz-delete-marker": "true" } : {};
  return { status: 204, headers: { ...marker, ...bucket.versionHeader(touched) } };
}

function describeObject(request: S3Request, bucket: Bucket, record: ObjectRecord): Reply {
  checkReadConditions(request, record);
  const range = readRange(request, record);
  const withChecksum = request.header("x-amz-checksum-mode")?.toUpperCase() === "ENABLED" && !range;
  return {
    status: range ? 206 : 200,
    headers: {
      ...record.headers,
      ...readOverrides(request),
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

function checksumHeaders(checksum: Checksum | undefined): ReplyHeaders {
  if (!checksum) return {};
  return { [checksumHeader(checksum.algorithm)]: checksum.value, "x-amz-checksum-type": checksum.type };
}

export function checksumElements(
  checksum: Partial<Checksum> | undefined,
): Record<string, string | undefined> {
  if (!checksum) return {};
  return { [`Checksum${checksum.algorithm}`]: checksum.value, ChecksumType: checksum.type };
}
