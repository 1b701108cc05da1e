import { createBucket, deleteBucket, deleteObjects, headBucket, listBuckets } from "./bucket-operations";
import {
  deleteBucketCors,
  deleteBucketLifecycle,
  deletePublicAccessBlock,
  getBucketCors,
  getBucketLifecycle,
  getBucketLocation,
  getBucketVersioning,
  getPublicAccessBlock,
  putBucketCors,
  putBucketLifecycle,
  putPublicAccessBlock,
} from "./bucket-settings";
import type { Operation } from "./context";
import { S3Error } from "./errors";
import { listObjects } from "./listing-operations";
import { listMultipartUploads, listParts } from "./multipart-listings";
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from "./multipart-operations";
import {
  copyObject,
  deleteObject,
  getObject,
  getObjectTagging,
  headObject,
  putObject,
} from "./object-operations";
import type { S3Request } from "./request";

/** `METHOD subject` and, where the query names parts of it, those parts in alphabetical order. */
const OPERATIONS: Record<string, Operation> = {
  "GET service": listBuckets,
  "PUT bucket": createBucket,
  "HEAD bucket": headBucket,
  "DELETE bucket": deleteBucket,
  "GET bucket": listObjects,
  "POST bucket?delete": deleteObjects,
  "GET bucket?location": getBucketLocation,
  "GET bucket?versioning": getBucketVersioning,
  "PUT bucket?cors": putBucketCors,
  "GET bucket?cors": getBucketCors,
  "DELETE bucket?cors": deleteBucketCors,
  "PUT bucket?lifecycle": putBucketLifecycle,
  "GET bucket?lifecycle": getBucketLifecycle,
  "DELETE bucket?lifecycle": deleteBucketLifecycle,
  "PUT bucket?publicAccessBlock": putPublicAccessBlock,
  "GET bucket?publicAccessBlock": getPublicAccessBlock,
  "DELETE bucket?publicAccessBlock": deletePublicAccessBlock,
  "GET bucket?uploads": listMultipartUploads,
  "PUT object": putObject,
  "COPY object": copyObject,
  "GET object": getObject,
  "HEAD object": headObject,
  "DELETE object": deleteObject,
  "GET object?tagging": getObjectTagging,
  "POST object?uploads": createMultipartUpload,
  "PUT object?partNumber?uploadId": uploadPart,
  "COPY object?partNumber?uploadId": uploadPartCopy,
  "GET object?uploadId": listParts,
  "POST object?uploadId": completeMultipartUpload,
  "DELETE object?uploadId": abortMultipartUpload,
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
