import { S3Error } from "./errors";
import type { S3Request } from "./request";

/** The one account there is, by the number that `x-amz-expected-bucket-owner` names and as listings show an owner. */
export const ACCOUNT_ID = "000000000000";
export const OWNER = { ID: "local", DisplayName: "local" };

/** `x-amz-*` headers and query parameters that this store heeds, or that ask for nothing (`user-agent`, `request-payer`). */
const KNOWN = new RegExp(
  `^x-amz-(${[
    "algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256",
    "decoded-content-length|trailer|user-agent|request-payer",
    "sdk-checksum-algorithm|checksum-.+|mp-object-size",
    "meta-.+",
    "copy-source|copy-source-range|copy-source-if-(none-)?match|copy-source-if-(un)?modified-since|(metadata|tagging)-directive",
    "storage-class|tagging",
  ].join("|")})$`,
);

/** What asks for nothing but what is so anyway; any other value is refused. */
const DEFAULTS: Record<string, string[]> = {
  "x-amz-acl": ["private", "bucket-owner-full-control"],
  "x-amz-object-ownership": ["BucketOwnerEnforced"],
};

/**
 * Refuses what the request asks for beyond what this store does: to ignore a header would be to promise it. Throws
 * NotImplemented, AccessDenied.
 */
export function refuseUnknownFeatures(request: S3Request): void {
  const copies = request.header("x-amz-copy-source") !== undefined;
  const makesObject = /^P/.test(request.method) && request.key !== "" && !isOfUpload(request.query);
  const names = [...Object.keys(request.raw.headers), ...request.query.keys()];
  for (const name of new Set(names.map((each) => each.toLowerCase()))) {
    const value = request.header(name);
    if (!name.startsWith("x-amz-") || value === undefined) continue;
    if (name === "x-amz-expected-bucket-owner" || name === "x-amz-source-expected-bucket-owner") {
      if (value === ACCOUNT_ID) continue;
      throw new S3Error("AccessDenied", "Access Denied");
    }
    const heeded =
      KNOWN.test(name) &&
      (copies || !/^x-amz-(copy-source|(metadata|tagging)-directive)/.test(name)) &&
      (makesObject || !/^x-amz-(storage-class|tagging$)/.test(name)) &&
      (name !== "x-amz-copy-source-range" || request.query.has("partNumber"));
    if (!heeded && !DEFAULTS[name]?.includes(value)) {
      throw new S3Error(
        "NotImplemented",
        "A header you provided implies functionality that is not implemented.",
        { Header: name },
      );
    }
  }
}

/** A part of an upload, or its completion: tags and storage class were said when it began. */
const isOfUpload = (query: URLSearchParams) => query.has("uploadId");
