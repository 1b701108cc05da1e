import type { Bucket } from "./bucket";
import type { Context } from "./context";
import { S3Error } from "./errors";
import { OWNER } from "./features";
import { type ListingPage, listPage } from "./listing";
import { listingEncoding, readCount } from "./listing-parameters";
import { type Reply, xmlReply } from "./reply";
import type { XmlObject } from "./xml";

/** Version 1, which common clients still speak, or with `list-type=2` version 2. */
export async function listObjects({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  const type = query.get("list-type");
  if (type !== null && type !== "2") {
    throw new S3Error("InvalidArgument", "Invalid List Type specified in Request", {
      ArgumentName: "list-type",
      ArgumentValue: type,
    });
  }
  const bucket = storage.get(request.bucket);
  const { encode, encodingType } = listingEncoding(query);
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const maxKeys = readCount(query, "max-keys");
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
      // Without a delimiter a client goes on from the last key.
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
