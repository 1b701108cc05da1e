import { S3Error } from "./errors";
import type { ObjectRecord } from "./object-record";
import type { ReplyHeaders } from "./reply";
import type { S3Request } from "./request";

const KEPT = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
];
const LARGEST_METADATA = 2048;

/**
 * The headers of a PUT that are kept with the object and returned with it, `x-amz-meta-*` among them.
 * Throws InvalidArgument, MetadataTooLarge.
 */
export function readObjectHeaders(request: S3Request): ReplyHeaders {
  const headers: ReplyHeaders = { "content-type": "binary/octet-stream" };
  const queryNames = [...request.query.keys()].map((name) => name.toLowerCase());
  let metadataSize = 0;
  for (const name of new Set([...Object.keys(request.raw.headers), ...queryNames])) {
    const value = request.header(name);
    if (value === undefined) continue;
    const isMetadata = name.startsWith("x-amz-meta-");
    if (isMetadata) metadataSize += name.length - "x-amz-meta-".length + Buffer.byteLength(value);
    if (isMetadata || KEPT.includes(name)) headers[name] = requireHeaderText(name, value);
  }
  if (metadataSize > LARGEST_METADATA) {
    throw new S3Error("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size");
  }
  return withoutAwsChunked(headers);
}

/** Those that hold what can be read at once: what has to be restored first is not here. Amazon S3 User Guide, "Storage classes". */
const STORAGE_CLASSES = [
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER_IR",
  "REDUCED_REDUNDANCY",
];

/** What a record keeps beside its headers; `x-amz-storage-class` is never a copy's source's. Throws InvalidStorageClass. */
export function readAttributes(
  request: S3Request,
  tags: ObjectRecord["tags"],
): Pick<ObjectRecord, "tags" | "storageClass"> {
  const storageClass = request.header("x-amz-storage-class") ?? "STANDARD";
  if (storageClass === "STANDARD") return tags === undefined ? {} : { tags };
  if (STORAGE_CLASSES.includes(storageClass)) return { ...(tags && { tags }), storageClass };
  throw new S3Error("InvalidStorageClass", "The storage class you specified is not valid", {
    StorageClassRequested: storageClass,
  });
}

/** `response-content-disposition` and its like, which a signed GET may ask for. Throws InvalidArgument. */
export function readOverrides(request: S3Request): ReplyHeaders {
  const headers: ReplyHeaders = {};
  for (const name of KEPT) {
    const value = request.query.get(`response-${name}`);
    if (value !== null) headers[name] = requireHeaderText(`response-${name}`, value);
  }
  return headers;
}

/** What came in a query can hold any character; what goes out in a header cannot. */
function requireHeaderText(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new S3Error("InvalidArgument", "Header value cannot be represented using ISO-8859-1.", {
    ArgumentName: name,
  });
}

/** `aws-chunked` is how the body travelled, not how it is kept. */
function withoutAwsChunked({ "content-encoding": encoding, ...headers }: ReplyHeaders): ReplyHeaders {
  const codings = (encoding ?? "").split(",").map((coding) => coding.trim());
  const kept = codings.filter((coding) => coding !== "" && coding !== "aws-chunked").join(", ");
  return kept === "" ? headers : { ...headers, "content-encoding": kept };
}
