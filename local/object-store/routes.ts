import * as buckets from "./bucket-operations";
import { S3Error } from "./errors";
import * as listings from "./listing-operations";
import * as multipart from "./multipart-operations";
import * as objects from "./object-operations";
import type { Operation } from "./operation";
import type { S3Request } from "./request";

/** `METHOD resource`, followed by the subresources in the query, in alphabetical order. A copy is a PUT that names a source. */
const OPERATIONS: Record<string, Operation> = {
  "GET service": buckets.listBuckets,
  "PUT bucket": buckets.createBucket,
  "HEAD bucket": buckets.headBucket,
  "DELETE bucket": buckets.deleteBucket,
  "GET bucket?cors": buckets.getBucketCors,
  "PUT bucket?cors": buckets.putBucketCors,
  "DELETE bucket?cors": buckets.deleteBucketCors,
  "GET bucket?lifecycle": buckets.getBucketLifecycle,
  "PUT bucket?lifecycle": buckets.putBucketLifecycle,
  "DELETE bucket?lifecycle": buckets.deleteBucketLifecycle,
  "GET bucket?notification": buckets.getBucketNotification,
  "PUT bucket?notification": buckets.putBucketNotification,
  "GET bucket?versioning": buckets.getBucketVersioning,
  "PUT bucket?versioning": buckets.putBucketVersioning,
  "PUT bucket?encryption": buckets.putBucketEncryption,

  "GET bucket": listings.listObjects,
  "GET bucket?versions": listings.listObjectVersions,
  "GET bucket?uploads": listings.listMultipartUploads,
  "GET object?uploadId": listings.listParts,

  "PUT object": objects.putObject,
  "COPY object": objects.copyObject,
  "GET object": objects.getObject,
  "HEAD object": objects.headObject,
  "DELETE object": objects.deleteObject,
  "GET object?versionId": objects.getObject,
  "HEAD object?versionId": objects.headObject,
  "DELETE object?versionId": objects.deleteObject,
  "POST bucket?delete": objects.deleteObjects,
  "GET object?tagging": objects.getObjectTagging,
  "GET object?tagging?versionId": objects.getObjectTagging,
  "PUT object?tagging": objects.putObjectTagging,
  "PUT object?tagging?versionId": objects.putObjectTagging,

  "POST object?uploads": multipart.createMultipartUpload,
  "PUT object?partNumber?uploadId": multipart.uploadPart,
  "COPY object?partNumber?uploadId": multipart.uploadPartCopy,
  "POST object?uploadId": multipart.completeMultipartUpload,
  "DELETE object?uploadId": multipart.abortMultipartUpload,
};

/** All subresources of S3. A request for one that is not in the table must not be taken for a request for the whole. */
const SUBRESOURCES = new Set(
  (
    "accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle " +
    "location logging metadataConfiguration metrics notification object-lock ownershipControls partNumber policy " +
    "policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging " +
    "torrent uploadId uploads versionId versioning versions website"
  ).split(" "),
);

/** `x-amz-*` headers and query parameters that any request may have. */
const COMMON_HEADERS =
  /^x-amz-(algorithm|credential|date|expires|signedheaders|signature|security-token|content-sha256|user-agent|sdk-checksum-algorithm|checksum-.+|meta-.+)$/;
/** Those that only some operations take. */
const HEADERS: Record<string, RegExp> = {
  "PUT object": /^x-amz-(storage-class|tagging)$/,
  "COPY object": /^x-amz-(storage-class|copy-source|copy-source-if-match|metadata-directive)$/,
  "POST object?uploads": /^x-amz-(storage-class|tagging)$/,
  "COPY object?partNumber?uploadId": /^x-amz-copy-source(-if-match|-range)?$/,
};

/**
 * The operation that a request asks for. Throws NotImplemented for an operation, or a header, that this store does not
 * support: a header must not be ignored silently.
 */
export function findOperation(request: S3Request): Operation {
  const resource = request.bucket === "" ? "service" : request.key === "" ? "bucket" : "object";
  const subresources = [...request.query.keys()].filter((name) => SUBRESOURCES.has(name)).sort();
  const isCopy = request.method === "PUT" && request.header("x-amz-copy-source") !== undefined;
  const name = [`${isCopy ? "COPY" : request.method} ${resource}`, ...subresources].join("?");
  const operation = OPERATIONS[name];
  if (!operation) throw new S3Error("NotImplemented", `This store does not support "${name}".`);
  for (const header of request.amzHeaders()) {
    const isDefault = header === "x-amz-acl" && request.header(header) === "private";
    if (isDefault || COMMON_HEADERS.test(header) || HEADERS[name]?.test(header)) continue;
    throw new S3Error(
      "NotImplemented",
      "A header you provided implies functionality that is not implemented.",
      { Header: header },
    );
  }
  return operation;
}
