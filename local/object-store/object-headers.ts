import type { ObjectRecord } from "./bucket";
import { invalidArgument, S3Error } from "./errors";
import type { Headers } from "./operation";
import type { S3Request } from "./request";

const STORED_HEADERS = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
];
const MAX_METADATA_BYTES = 2048;

/** Those whose objects can be read at once. Amazon S3 User Guide, "Understanding and managing Amazon S3 storage classes". */
const STORAGE_CLASSES = [
  "STANDARD",
  "STANDARD_IA",
  "ONEZONE_IA",
  "INTELLIGENT_TIERING",
  "GLACIER_IR",
  "REDUCED_REDUNDANCY",
];

/** Amazon S3 User Guide, "Categorizing your objects using tags". */
const MAX_TAGS = 10;
const MAX_TAG_NAME_LENGTH = 128;
const MAX_TAG_VALUE_LENGTH = 256;
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/**
 * The headers of an upload that are stored with the object and returned with it, including `x-amz-meta-*`. Throws
 * InvalidArgument and MetadataTooLarge.
 */
export function readObjectHeaders(request: S3Request): Headers {
  const metadata = request.amzHeaders().filter((name) => name.startsWith("x-amz-meta-"));
  const headers: Headers = { "content-type": "binary/octet-stream" };
  for (const name of [...STORED_HEADERS, ...metadata]) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = requireHeaderText(name, value);
  }
  const sizes = metadata.map((name) => name.length - "x-amz-meta-".length + (headers[name] ?? "").length);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_METADATA_BYTES) {
    throw new S3Error("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size");
  }
  return headers;
}

/** `response-content-disposition` and the like, which a signed GET may ask for. Throws InvalidArgument. */
export function readResponseOverrides({ query }: S3Request): Headers {
  const headers: Headers = {};
  for (const name of STORED_HEADERS) {
    const value = query.get(`response-${name}`);
    if (value !== null) headers[name] = requireHeaderText(`response-${name}`, value);
  }
  return headers;
}

/** A query parameter can contain any character, but a response header cannot. */
function requireHeaderText(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw invalidArgument(name, value, "Header value cannot be represented using ISO-8859-1.");
}

/** Undefined for the default, `STANDARD`. Throws InvalidStorageClass. */
export function readStorageClass(request: S3Request): Pick<ObjectRecord, "storageClass"> {
  const storageClass = request.header("x-amz-storage-class") ?? "STANDARD";
  if (!STORAGE_CLASSES.includes(storageClass)) {
    throw new S3Error("InvalidStorageClass", "The storage class you specified is not valid", {
      StorageClassRequested: storageClass,
    });
  }
  return storageClass === "STANDARD" ? {} : { storageClass };
}

/** `x-amz-tagging`, which is encoded like a query. Throws InvalidTag. */
export function readTags(request: S3Request): Pick<ObjectRecord, "tags"> {
  const pairs = [...new URLSearchParams(request.header("x-amz-tagging") ?? "")];
  return pairs.length === 0 ? {} : { tags: checkTags(pairs) };
}

/** Throws InvalidTag. */
export function checkTags(pairs: readonly [name: string, value: string][]): Record<string, string> {
  const areValid = pairs.every(
    ([name, value]) =>
      name !== "" &&
      name.length <= MAX_TAG_NAME_LENGTH &&
      value.length <= MAX_TAG_VALUE_LENGTH &&
      TAG_TEXT.test(name + value) &&
      // Only Amazon sets these.
      !name.startsWith("aws:"),
  );
  const tags = Object.fromEntries(pairs);
  if (!areValid || pairs.length > MAX_TAGS || Object.keys(tags).length < pairs.length) {
    throw new S3Error(
      "InvalidTag",
      "There are too many tags, or one is too long, has a character that is not allowed, or has the name of another.",
    );
  }
  return tags;
}
