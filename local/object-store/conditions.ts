import { S3Error } from "./errors";
import type { S3Request } from "./request";
import type { ObjectRecord } from "./storage";

/** Inclusive positions of the first and the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

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
  const ifMatch = request.header("if-match");
  const ifNoneMatch = request.header("if-none-match");
  const unmodifiedSince = timeOf(request.header("if-unmodified-since"));
  const modifiedSince = timeOf(request.header("if-modified-since"));
  if (ifMatch !== undefined) {
    if (!namesEtag(ifMatch, record.etag)) throw preconditionFailed("If-Match");
  } else if (unmodifiedSince !== undefined && record.lastModified > unmodifiedSince) {
    throw preconditionFailed("If-Unmodified-Since");
  }
  const unchanged =
    ifNoneMatch !== undefined
      ? namesEtag(ifNoneMatch, record.etag)
      : modifiedSince !== undefined && record.lastModified <= modifiedSince;
  if (unchanged) {
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

/**
 * The one range that is asked for; undefined for the whole object, which is also the answer to several ranges, to what
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

function namesEtag(header: string, etag: string): boolean {
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
