import type { Context } from "./context";
import { corsDocument, parseCorsRules } from "./cors";
import { S3Error } from "./errors";
import { listPage } from "./listing";
import { type Reply, xmlReply } from "./reply";
import { encodeStrictly, type S3Request } from "./request";
import { childrenNamed, malformed, parseXml, textOf, xmlDocument } from "./xml";

const LARGEST_PAGE = 1000;

export async function listBuckets({ storage }: Context): Promise<Reply> {
  const buckets = storage.names().map((name) => ({
    Name: name,
    CreationDate: new Date(storage.get(name).created).toISOString(),
  }));
  return xmlReply(
    xmlDocument("ListAllMyBucketsResult", {
      Owner: { ID: "local", DisplayName: "local" },
      Buckets: { Bucket: buckets },
    }),
  );
}

export async function createBucket({ request, body, storage, region }: Context): Promise<Reply> {
  const document = (request.header("content-length") ?? "0") === "0" ? "" : await body.readDocument();
  const location = document === "" ? undefined : textOf(parseXml(document), "LocationConstraint");
  if (location !== undefined && location !== region) {
    throw new S3Error(
      "IllegalLocationConstraintException",
      `The ${location} location constraint is incompatible for the region specific endpoint this request was sent to.`,
    );
  }
  storage.create(request.bucket);
  return { status: 200, headers: { location: `/${request.bucket}` } };
}

export async function headBucket({ request, storage, region }: Context): Promise<Reply> {
  storage.get(request.bucket);
  return { status: 200, headers: { "x-amz-bucket-region": region } };
}

export async function deleteBucket({ request, storage }: Context): Promise<Reply> {
  storage.remove(request.bucket);
  return { status: 204 };
}

export async function listObjects({ request, storage }: Context): Promise<Reply> {
  const { query } = request;
  if (query.get("list-type") !== "2") {
    throw new S3Error("NotImplemented", "This store lists with ListObjectsV2 (list-type=2) only.");
  }
  const bucket = storage.get(request.bucket);
  const encodingType = query.get("encoding-type");
  if (encodingType !== null && encodingType !== "url") {
    throw new S3Error("InvalidArgument", "Invalid Encoding Method specified in Request", {
      ArgumentName: "encoding-type",
    });
  }
  const encode = encodingType === null ? (text: string) => text : encodeForListing;
  const asked = {
    prefix: query.get("prefix") ?? "",
    delimiter: query.get("delimiter") ?? "",
    startAfter: query.get("start-after") ?? "",
    continuationToken: query.get("continuation-token") ?? undefined,
    maxKeys: readMaxKeys(request),
  };
  const page = listPage(bucket.index, asked);
  return xmlReply(
    xmlDocument("ListBucketResult", {
      Name: bucket.name,
      Prefix: encode(asked.prefix),
      Delimiter: asked.delimiter === "" ? undefined : encode(asked.delimiter),
      StartAfter: asked.startAfter === "" ? undefined : encode(asked.startAfter),
      EncodingType: encodingType ?? undefined,
      MaxKeys: asked.maxKeys,
      KeyCount: page.keys.length + page.commonPrefixes.length,
      IsTruncated: page.nextToken !== undefined,
      ContinuationToken: asked.continuationToken,
      NextContinuationToken: page.nextToken,
      Contents: page.keys.map((key) => {
        const { lastModified, etag, size } = bucket.get(key);
        return {
          Key: encode(key),
          LastModified: new Date(lastModified).toISOString(),
          ETag: etag,
          Size: size,
          StorageClass: "STANDARD",
        };
      }),
      CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
    }),
  );
}

export async function deleteObjects({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  const root = parseXml(await body.readDocument());
  const keys = childrenNamed(root, "Object").map((node) => textOf(node, "Key") ?? "");
  if (root.name !== "Delete" || keys.length === 0 || keys.length > LARGEST_PAGE || keys.includes("")) {
    throw malformed();
  }
  for (const key of keys) bucket.remove(key);
  const quiet = textOf(root, "Quiet") === "true";
  return xmlReply(
    xmlDocument("DeleteResult", { Deleted: quiet ? undefined : keys.map((key) => ({ Key: key })) }),
  );
}

export async function putBucketCors({ request, body, storage }: Context): Promise<Reply> {
  const bucket = storage.get(request.bucket);
  body.requireDigest();
  bucket.setCors(parseCorsRules(await body.readDocument()));
  return { status: 200 };
}

export async function getBucketCors({ request, storage }: Context): Promise<Reply> {
  const { cors, name } = storage.get(request.bucket);
  if (cors.length === 0) {
    throw new S3Error("NoSuchCORSConfiguration", "The CORS configuration does not exist", {
      BucketName: name,
    });
  }
  return xmlReply(corsDocument(cors));
}

export async function deleteBucketCors({ request, storage }: Context): Promise<Reply> {
  storage.get(request.bucket).setCors([]);
  return { status: 204 };
}

function readMaxKeys(request: S3Request): number {
  const text = request.query.get("max-keys") ?? String(LARGEST_PAGE);
  if (!/^[0-9]{1,10}$/.test(text) || Number(text) > 2 ** 31 - 1) {
    throw new S3Error("InvalidArgument", "max-keys must be a whole number between 0 and 2147483647", {
      ArgumentName: "max-keys",
      ArgumentValue: text,
    });
  }
  return Math.min(Number(text), LARGEST_PAGE);
}

/** `encoding-type=url`: slashes stay and a space becomes `+`, as in a form. */
function encodeForListing(text: string): string {
  return encodeStrictly(text).replaceAll("%2F", "/").replaceAll("%20", "+");
}
