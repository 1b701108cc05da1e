import { S3Client, type S3ClientConfig } from "@aws-sdk/client-s3";
import type { Env } from "../env.server";

/** A client of Amazon S3, or of what speaks its API at `endpoint`; `more` is what differs for one use. */
export function createS3Client(settings: Env["objectStore"], more: S3ClientConfig = {}): S3Client {
  return new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    endpoint: settings.endpoint,
    forcePathStyle: settings.forcePathStyle,
    // The SDK's default signs the checksum of an empty body into a presigned PUT.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...more,
  });
}
