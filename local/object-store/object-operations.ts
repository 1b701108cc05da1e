import { createReadStream, createWriteStream } from "node:fs";
import { copyFile } from "node:fs/promises";
import { checkReadConditions, checkWriteConditions, readRange } from "./conditions";
import type { Context } from "./context";
import { S3Error } from "./errors";
import { readObjectHeaders, readOverrides } from "./object-headers";
import { type Reply, type ReplyHeaders, xmlReply } from "./reply";
import type { S3Request } from "./request";
import type { ObjectRecord, ObjectStorage } from "./storage";
import { xmlDocument } from "./xml";

export async function putObject({ request, body, storage }: Context): Promise<Reply> {
  const record = await storeObject(request, storage, readObjectHeaders(request), async (path) => {
    const { size, md5 } = await body.pipeTo(() => createWriteStream(path));
    return { size, etag: `"${md5}"` };
  });
  return { status: 200, headers: { etag: record.etag } };
}

/** Within this store; the object's headers come along unless `x-amz-metadata-directive: REPLACE`. */
export async function copyObject({ request, storage }: Context): Promise<Reply> {
  const from = decodeCopySource(request.header("x-amz-copy-source") ?? "");
  const bucket = storage.get(from.bucket);
  const source = bucket.get(from.key);
  const replace = request.header("x-amz-metadata-directive") === "REPLACE";
  if (!replace && from.bucket === request.bucket && from.key === request.key) {
    throw new S3Error(
      "InvalidRequest",
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
    );
  }
  const headers = replace ? readObjectHeaders(request) : source.headers;
  const record = await storeObject(request, storage, headers, async (path) => {
    await copyFile(bucket.dataPath(source.data), path);
    return source;
  });
  const lastModified = new Date(record.lastModified).toISOString();
  return xmlReply(xmlDocument("CopyObjectResult", { LastModified: lastModified, ETag: record.etag }));
}

/** Has `write` put the bytes where they belong, then makes them the object, if the request's conditions hold. */
async function storeObject(
  request: S3Request,
  storage: ObjectStorage,
  headers: ReplyHeaders,
  write: (path: string) => Promise<Pick<ObjectRecord, "size" | "etag">>,
): Promise<ObjectRecord> {
  const { key } = request;
  const bucket = storage.get(request.bucket);
  checkWriteConditions(request, bucket.find(key));
  const data = bucket.newDataName(key);
  try {
    const { size, etag } = await write(bucket.dataPath(data));
    const lastModified = Math.floor(Date.now() / 1000) * 1000;
    const record = { key, size, etag, lastModified, headers, data };
    // Asked again: while these bytes were on their way others may have come first, or the bucket be gone.
    storage.get(request.bucket).commit(record, (current) => checkWriteConditions(request, current));
    return record;
  } catch (error) {
    bucket.discard(data);
    throw error;
  }
}

export async function getObject({ request, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  const record = bucket.get(request.key);
  const reply = describeObject(request, record);
  const range = readRange(request, record);
  return { ...reply, body: createReadStream("", { fd: bucket.open(record), ...range }) };
}

export async function headObject({ request, storage }: Context): Promise<Reply> {
  return describeObject(request, storage.get(request.bucket).get(request.key));
}

export async function deleteObject({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket).remove(request.key);
  return { status: 204 };
}

function describeObject(request: S3Request, record: ObjectRecord): Reply {
  checkReadConditions(request, record);
  const range = readRange(request, record);
  return {
    status: range ? 206 : 200,
    headers: {
      ...record.headers,
      ...readOverrides(request),
      "accept-ranges": "bytes",
      etag: record.etag,
      "last-modified": new Date(record.lastModified).toUTCString(),
      "content-length": String(range ? range.end - range.start + 1 : record.size),
      ...(range && { "content-range": `bytes ${range.start}-${range.end}/${record.size}` }),
    },
  };
}

/** `/bucket/key` or `bucket/key`, percent-encoded. Throws InvalidArgument. */
function decodeCopySource(encoded: string): { bucket: string; key: string } {
  const [, bucket, key] = /^\/?([^/?]+)\/([^?]+)$/.exec(encoded) ?? [];
  try {
    if (bucket !== undefined && key !== undefined) return { bucket, key: decodeURIComponent(key) };
  } catch {
    // answered below, like a source that names no key
  }
  throw new S3Error(
    "InvalidArgument",
    "Copy Source must mention the source bucket and key, URL-encoded: sourcebucket/sourcekey",
  );
}
