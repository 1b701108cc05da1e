import type { Bucket } from "./bucket";
import type { Context } from "./context";
import { S3Error } from "./errors";
import { OWNER } from "./features";
import { type ListingPage, listPage } from "./listing";
import { listingEncoding, readCount } from "./listing-parameters";
import { type Reply, xmlReply } from "./reply";
import type { XmlObject } from "./xml";

/** Version 1, which common clients still speak, or with `list-type=2` version 2. */
export async function listObjects(context: Context): Promise<Reply> {
  const type = context.request.query.get("list-type");
  if (type === null) return listObjectsV1(context);
  if (type === "2") return listObjectsV2(context);
  throw new S3Error("InvalidArgument", "Invalid List Type specified in Request", {
    ArgumentName: "list-type",
    ArgumentValue: type,
  });
}

async function listObjectsV1({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = listingEncoding(query);
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const marker = query.get("marker") ?? "";
  const maxKeys = readCount(query, "max-keys");
  const page = listPage(bucket.index, { prefix, delimiter, maxKeys, marker });
  return xmlReply("ListBucketResult", {
    Name: bucket.name,
    Prefix: encode(prefix),
    Marker: encode(marker),
    // Without a delimiter a client goes on from the last key.
    NextMarker: page.nextMarker === undefined || delimiter === "" ? undefined : encode(page.nextMarker),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    EncodingType: encodingType,
    MaxKeys: maxKeys,
    IsTruncated: page.nextMarker !== undefined,
    ...entriesOf(bucket, page, encode, true),
  });
}

async function listObjectsV2({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = listingEncoding(query);
  const asked = {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    startAfter: query.get("start-after") ?? "",
    continuationToken: query.get("continuation-token") ?? undefined,
    maxKeys: readCount(query, "max-keys"),
  };
  const page = listPage(bucket.index, asked);
  return xmlReply("ListBucketResult", {
    Name: bucket.name,
    Prefix: encode(asked.prefix),
    Delimiter: asked.delimiter === "" ? undefined : encode(asked.delimiter),
    StartAfter: asked.startAfter === "" ? undefined : encode(asked.startAfter),
    EncodingType: encodingType,
    MaxKeys: asked.maxKeys,
    KeyCount: page.keys.length + page.commonPrefixes.length,
    IsTruncated: page.nextToken !== undefined,
    ContinuationToken: asked.continuationToken,
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
      const { lastModified, etag, size, checksum } = bucket.get(key);
      return {
        Key: encode(key),
        LastModified: new Date(lastModified).toISOString(),
        ETag: etag,
        ChecksumAlgorithm: checksum?.algorithm,
        ChecksumType: checksum?.type,
        Size: size,
        Owner: withOwner ? OWNER : undefined,
        StorageClass: "STANDARD",
      };
    }),
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
}
