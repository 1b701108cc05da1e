import {
  createBucket,
  deleteBucket,
  deleteBucketCors,
  deleteObjects,
  getBucketCors,
  headBucket,
  listBuckets,
  listObjects,
  putBucketCors,
} from "./bucket-operations";
import type { Operation } from "./context";
import { S3Error } from "./errors";
import { copyObject, deleteObject, getObject, headObject, putObject } from "./object-operations";
import type { S3Request } from "./request";

/** `METHOD subject` and, where the query names a part of it, that part. */
const OPERATIONS: Record<string, Operation> = {
  "GET service": listBuckets,
  "PUT bucket": createBucket,
  "HEAD bucket": headBucket,
  "DELETE bucket": deleteBucket,
  "GET bucket": listObjects,
  "POST bucket?delete": deleteObjects,
  "PUT bucket?cors": putBucketCors,
  "GET bucket?cors": getBucketCors,
  "DELETE bucket?cors": deleteBucketCors,
  "PUT object": putObject,
  "COPY object": copyObject,
  "GET object": getObject,
  "HEAD object": headObject,
  "DELETE object": deleteObject,
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
  const parts = [...request.query.keys()].filter((name) => PARTS.has(name));
  const copies = request.method === "PUT" && request.header("x-amz-copy-source") !== undefined;
  const name = [`${copies ? "COPY" : request.method} ${subject}`, ...parts].join("?");
  const operation = OPERATIONS[name];
  if (!operation) throw new S3Error("NotImplemented", `This store does not do "${name}".`);
  return operation;
}
