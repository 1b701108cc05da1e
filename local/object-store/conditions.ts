import type { ObjectRecord } from "./bucket";
import type { ByteRange } from "./data-files";
import { noSuchKey, S3Error } from "./errors";
import type { S3Request } from "./request";

/**
 * The conditions of a PUT: `If-None-Match: *` (there must be no object) and `If-Match` (there must be this very object).
 * Throws PreconditionFailed, NoSuchKey and NotImplemented. Amazon S3 User Guide, "Conditional writes".
 */
export function checkWriteConditions(request: S3Request, current: ObjectRecord | undefined): void {
  const ifNoneMatch = request.header("if-none-match");
  const ifMatch = request.header("if-match");
  if (ifNoneMatch !== undefined && ifNoneMatch !== "*") {
    throw new S3Error("NotImplemented", "If-None-Match of a PUT can only be *.", { Header: "If-None-Match" });
  }
  if (ifNoneMatch !== undefined && current) throw preconditionFailed("If-None-Match");
  checkIfMatch(ifMatch, request.key, current);
}

/** The condition of a DELETE: `If-Match`. Throws PreconditionFailed and NoSuchKey. */
export function checkDeleteCondition(request: S3Request, current: ObjectRecord | undefined): void {
  checkIfMatch(request.header("if-match"), request.key, current);
}

function checkIfMatch(ifMatch: string | undefined, key: string, current: ObjectRecord | undefined): void {
  if (ifMatch === undefined) return;
  if (!current) throw noSuchKey(key);
  if (!isEtagIn(ifMatch, current.etag)) throw preconditionFailed("If-Match");
}

/** The condition of a copy on its source: `x-amz-copy-source-if-match`. Throws PreconditionFailed. */
export function checkCopyCondition(request: S3Request, source: ObjectRecord): void {
  const ifMatch = request.header("x-amz-copy-source-if-match");
  if (ifMatch !== undefined && !isEtagIn(ifMatch, source.etag)) {
    throw preconditionFailed("x-amz-copy-source-If-Match");
  }
}

/** The conditions of a GET or HEAD, in the order of RFC 9110, section 13.2.2. Throws PreconditionFailed and NotModified. */
export function checkReadConditions(request: S3Request, { etag, lastModified }: ObjectRecord): void {
  const ifMatch = request.header("if-match");
  const unmodifiedSince = timeOf(request.header("if-unmodified-since"));
  if (ifMatch !== undefined) {
    if (!isEtagIn(ifMatch, etag)) throw preconditionFailed("If-Match");
  } else if (unmodifiedSince !== undefined && lastModified > unmodifiedSince) {
    throw preconditionFailed("If-Unmodified-Since");
  }
  const ifNoneMatch = request.header("if-none-match");
  const modifiedSince = timeOf(request.header("if-modified-since"));
  const isUnchanged =
    ifNoneMatch !== undefined
      ? isEtagIn(ifNoneMatch, etag)
      : modifiedSince !== undefined && lastModified <= modifiedSince;
  if (!isUnchanged) return;
  const headers = { etag, "last-modified": new Date(lastModified).toUTCString() };
  throw new S3Error("NotModified", "Not Modified", {}, headers);
}

/**
 * The range that is asked for. Undefined for the whole object: also if there are several ranges, if the header is malformed
 * (RFC 9110, section 14.2), and if `If-Range` names another version. Throws InvalidRange.
 */
export function readRange(
  request: S3Request,
  { etag, lastModified, size }: ObjectRecord,
): ByteRange | undefined {
  const ifRange = request.header("if-range");
  if (ifRange !== undefined && ifRange !== etag && timeOf(ifRange) !== lastModified) return undefined;
  const range = request.header("range") ?? "";
  const match = /^bytes=(\d*)-(\d*)$/.exec(range);
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, first = "", last = ""] = match;
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw new S3Error(
    "InvalidRange",
    "The requested range is not satisfiable",
    { RangeRequested: range, ActualObjectSize: String(size) },
    { "content-range": `bytes */${size}` },
  );
}

/** Whether a header's list of ETags, some of which come without quotes, has this one. */
export function isEtagIn(header: string, etag: string): boolean {
  return header.split(",").some((item) => {
    const named = item.trim().replace(/^W\//, "");
    return named === "*" || named === etag || `"${named}"` === etag;
  });
}

function timeOf(header: string | undefined): number | undefined {
  const time = Date.parse(header ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function preconditionFailed(condition: string): S3Error {
  return new S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
    Condition: condition,
  });
}
