import * as buckets from "./bucket-operations";
import * as settings from "./bucket-settings";
import type { Operation } from "./context";
import { S3Error } from "./errors";
import { listObjects } from "./listing-operations";
import * as multipartListings from "./multipart-listings";
import * as multipart from "./multipart-operations";
import * as objects from "./object-operations";
import type { S3Request } from "./request";
import * as tags from "./tags";
import { listObjectVersions } from "./version-listing";

/** `METHOD subject` and, where the query names parts of it, those parts in alphabetical order. */
const OPERATIONS: Record<string, Operation> = {
  "GET service": buckets.listBuckets,
  "PUT bucket": buckets.createBucket,
  "HEAD bucket": buckets.headBucket,
  "DELETE bucket": buckets.deleteBucket,
  "GET bucket": listObjects,
  "POST bucket?delete": buckets.deleteObjects,
  "GET bucket?location": settings.getBucketLocation,
  "GET bucket?versioning": settings.getBucketVersioning,
  "PUT bucket?versioning": settings.putBucketVersioning,
  "GET bucket?versions": listObjectVersions,
  ...settings.settingOperations,
  "GET bucket?uploads": multipartListings.listMultipartUploads,
  "PUT object": objects.putObject,
  "COPY object": objects.copyObject,
  "GET object": objects.getObject,
  "HEAD object": objects.headObject,
  "DELETE object": objects.deleteObject,
  "GET object?versionId": objects.getObject,
  "HEAD object?versionId": objects.headObject,
  "DELETE object?versionId": objects.deleteObject,
  "GET object?tagging": tags.getObjectTagging,
  "PUT object?tagging": tags.putObjectTagging,
  "DELETE object?tagging": tags.deleteObjectTagging,
  "POST object?uploads": multipart.createMultipartUpload,
  "PUT object?partNumber?uploadId": multipart.uploadPart,
  "COPY object?partNumber?uploadId": multipart.uploadPartCopy,
  "GET object?uploadId": multipartListings.listParts,
  "POST object?uploadId": multipart.completeMultipartUpload,
  "DELETE object?uploadId": multipart.abortMultipartUpload,
};

/** Every part of a bucket or an object that S3 knows by a query parameter: none is taken for the whole. */
const PARTS = new Set(
  (
    "accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle " +
    "location logging metadataConfiguration metrics notification object-lock ownershipControls partNumber policy " +
    "policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session tagging " +
    "torrent uploadId uploads versionId versioning versions website"
  ).split(" "),
);

/** Throws NotImplemented for what this store does not do. */
export function findOperation(request: S3Request): Operation {
  const subject = request.bucket === "" ? "service" : request.key === "" ? "bucket" : "object";
  const parts = [...request.query.keys()].filter((name) => PARTS.has(name)).sort();
  const copies = request.method === "PUT" && request.header("x-amz-copy-source") !== undefined;
  const name = [`${copies ? "COPY" : request.method} ${subject}`, ...parts].join("?");
  const operation = OPERATIONS[name];
  if (!operation) throw new S3Error("NotImplemented", `This store does not do "${name}".`);
  return operation;
}
