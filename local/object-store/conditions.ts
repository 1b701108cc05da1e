import type { ByteRange } from "./data-files";
import { S3Error } from "./errors";
import type { ObjectRecord } from "./object-record";
import type { S3Request } from "./request";

/**
 * Conditions of a PUT: `If-None-Match: *` (nothing may be there yet) and `If-Match` (that very version must be). Throws
 * PreconditionFailed, NoSuchKey, NotImplemented. Amazon S3 User Guide, "Conditional writes".
 */
export function checkWriteConditions(request: S3Request, current: ObjectRecord | undefined): void {
  const ifNoneMatch = request.header("if-none-match");
  const ifMatch = request.header("if-match");
  if (ifNoneMatch !== undefined && ifNoneMatch !== "*") {
    throw new S3Error("NotImplemented", "If-None-Match of a PUT takes nothing but *.", {
      Header: "If-None-Match",
    });
  }
  if (ifNoneMatch !== undefined && current) throw preconditionFailed("If-None-Match");
  if (ifMatch !== undefined) {
    if (!current) throw new S3Error("NoSuchKey", "The specified key does not exist.", { Key: request.key });
    if (!namesEtag(ifMatch, current.etag)) throw preconditionFailed("If-Match");
  }
}

/** Conditions of a GET or HEAD, in the order of RFC 9110, section 13.2.2. Throws PreconditionFailed, NotModified. */
export function checkReadConditions(request: S3Request, record: ObjectRecord): void {
  checkNotChanged(request, record);
  if (isUnchanged(request, record)) {
    throw new S3Error(
      "NotModified",
      "Not Modified",
      {},
      {
        etag: record.etag,
        "last-modified": new Date(record.lastModified).toUTCString(),
      },
    );
  }
}

/** Conditions of a copy on its source, in the same order. Throws PreconditionFailed. Amazon S3 API Reference, "CopyObject". */
export function checkCopyConditions(request: S3Request, source: ObjectRecord): void {
  const prefix = "x-amz-copy-source-";
  checkNotChanged(request, source, prefix);
  if (isUnchanged(request, source, prefix)) throw preconditionFailed(`${prefix}If-None-Match`);
}

/**
 * Condition of a DELETE: that very version must be there. Throws PreconditionFailed, NoSuchKey. Amazon S3 User Guide, "How
 * to perform conditional deletes".
 */
export function checkDeleteCondition(ifMatch: string | undefined, key: string, current?: ObjectRecord): void {
  if (ifMatch === undefined) return;
  if (!current && ifMatch !== "*") {
    throw new S3Error("NoSuchKey", "The specified key does not exist.", { Key: key });
  }
  if (!current || !namesEtag(ifMatch, current.etag)) throw preconditionFailed("If-Match");
}

/** `If-Match` and, only without it, `If-Unmodified-Since`. */
function checkNotChanged(request: S3Request, record: ObjectRecord, prefix = ""): void {
  const ifMatch = request.header(`${prefix}if-match`);
  const unmodifiedSince = timeOf(request.header(`${prefix}if-unmodified-since`));
  if (ifMatch !== undefined) {
    if (!namesEtag(ifMatch, record.etag)) throw preconditionFailed(`${prefix}If-Match`);
  } else if (unmodifiedSince !== undefined && record.lastModified > unmodifiedSince) {
    throw preconditionFailed(`${prefix}If-Unmodified-Since`);
  }
}

/** `If-None-Match` and, only without it, `If-Modified-Since`. */
function isUnchanged(request: S3Request, record: ObjectRecord, prefix = ""): boolean {
  const ifNoneMatch = request.header(`${prefix}if-none-match`);
  const modifiedSince = timeOf(request.header(`${prefix}if-modified-since`));
  if (ifNoneMatch !== undefined) return namesEtag(ifNoneMatch, record.etag);
  return modifiedSince !== undefined && record.lastModified <= modifiedSince;
}

/**
 * The one range that is asked for; undefined for the whole object, which is also what several ranges, to what
 * is no range (RFC 9110, section 14.2), and to an `If-Range` that names another version. Throws InvalidRange.
 */
export function readRange(request: S3Request, record: ObjectRecord): ByteRange | undefined {
  const ifRange = request.header("if-range");
  if (ifRange !== undefined && ifRange !== record.etag && timeOf(ifRange) !== record.lastModified)
    return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.header("range") ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, first = "", last = ""] = match;
  if (first !== "" && last !== "" && Number(first) > Number(last)) return undefined;
  const start = first === "" ? Math.max(0, record.size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? record.size - 1 : Math.min(Number(last), record.size - 1);
  if (start > end) {
    throw new S3Error(
      "InvalidRange",
      "The requested range is not satisfiable",
      { RangeRequested: request.header("range") ?? "", ActualObjectSize: String(record.size) },
      { "content-range": `bytes */${record.size}` },
    );
  }
  return { start, end };
}

export function namesEtag(header: string, etag: string): boolean {
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
