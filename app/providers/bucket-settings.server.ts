import { PutBucketCorsCommand, type S3Client } from "@aws-sdk/client-s3";
import type { CallStore } from "./s3-client.server";

export interface CorsRule {
  allowedMethods: string[];
  allowedHeaders: string[];
  allowedOrigins: string[];
  exposeHeaders: string[];
  maxAgeSeconds: number;
}

/** What an operator sets on a bucket. */
export function createBucketSettings(client: S3Client, call: CallStore, limitMs: number) {
  return {
    /** Replaces a bucket's CORS rules. @throws AppError as `list` */
    async putCorsRules(bucket: string, rules: readonly CorsRule[]): Promise<void> {
      const command = new PutBucketCorsCommand({
        Bucket: bucket,
        CORSConfiguration: {
          CORSRules: rules.map((rule) => ({
            AllowedMethods: rule.allowedMethods,
            AllowedHeaders: rule.allowedHeaders,
            AllowedOrigins: rule.allowedOrigins,
            ExposeHeaders: rule.exposeHeaders,
            MaxAgeSeconds: rule.maxAgeSeconds,
          })),
        },
      });
      await call("put_cors", { bucket, permission: "s3:PutBucketCORS" }, limitMs, (options) =>
        client.send(command, options),
      );
    },
  };
}
