import type { S3Request } from "./request";

/** Headers and conditions that S3 documents and some stores ignore. Each changes how this store treats a request. */
export interface IgnoredFeatures {
  /** `x-amz-checksum-*` of uploads: bytes are not compared with it, and it is not kept */
  checksums?: true;
  /** `If-None-Match` and `If-Match` when an object is copied, completed from parts or deleted */
  newerConditions?: true;
  /** `If-None-Match` and `If-Match` of a PUT */
  putConditions?: true;
  contentMd5?: true;
}

/** Ceph RGW 16.2 verifies `Content-MD5` and the conditions of a PUT. It knows nothing newer. */
export const ceph16: IgnoredFeatures = { checksums: true, newerConditions: true };

/** The request as a store sees it that ignores these features. Requests about a bucket stay as they are. */
export function withoutIgnored(request: S3Request, ignored: IgnoredFeatures): S3Request {
  if (request.key === "") return request;
  const isPut = request.method === "PUT" && request.header("x-amz-copy-source") === undefined;
  const isWrite = request.method !== "GET" && request.method !== "HEAD";
  const ignoresConditions = isWrite && (isPut ? ignored.putConditions : ignored.newerConditions);
  const isIgnored = (name: string) => {
    if (name === "content-md5") return ignored.contentMd5;
    if (name === "if-none-match" || name === "if-match") return ignoresConditions;
    return ignored.checksums && name.startsWith("x-amz-checksum-");
  };
  return {
    ...request,
    header: (name) => (isIgnored(name) ? undefined : request.header(name)),
    amzHeaders: () => request.amzHeaders().filter((name) => !isIgnored(name)),
  };
}
