import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type S3Client,
  type TransitionDefaultMinimumObjectSize,
} from "@aws-sdk/client-s3";
import type { CallStore } from "./s3-client.server";

export interface Lifecycle {
  rules: LifecycleRule[];
  /** written back as it was read, because a store resets it when it is left out */
  minimumSize: TransitionDefaultMinimumObjectSize | undefined;
}

/** What an operator sets on a bucket, all rules of a kind at once. All throw AppError `bucket_not_found`, `provider_failed`, `unavailable`. */
export function createBucketSettings(client: S3Client, call: CallStore, limitMs: number) {
  return {
    /** None is an empty list. */
    async corsRules(bucket: string): Promise<CORSRule[]> {
      const command = new GetBucketCorsCommand({ Bucket: bucket });
      const what = { bucket, permission: "s3:GetBucketCORS" };
      return call("get_cors", what, limitMs, (options) =>
        client
          .send(command, options)
          .then(({ CORSRules = [] }) => CORSRules, unlessUnset("NoSuchCORSConfiguration", [])),
      );
    },

    async putCorsRules(bucket: string, rules: readonly CORSRule[]): Promise<void> {
      const command = new PutBucketCorsCommand({
        Bucket: bucket,
        CORSConfiguration: { CORSRules: [...rules] },
      });
      await call("put_cors", { bucket, permission: "s3:PutBucketCORS" }, limitMs, (options) =>
        client.send(command, options),
      );
    },

    async lifecycle(bucket: string): Promise<Lifecycle> {
      const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
      const what = { bucket, permission: "s3:GetLifecycleConfiguration" };
      const none = { rules: [], minimumSize: undefined };
      return call("get_lifecycle", what, limitMs, (options) =>
        client.send(command, options).then(
          ({ Rules: rules = [], TransitionDefaultMinimumObjectSize: minimumSize }) => ({
            rules,
            minimumSize,
          }),
          unlessUnset("NoSuchLifecycleConfiguration", none),
        ),
      );
    },

    async putLifecycle(bucket: string, { rules, minimumSize }: Lifecycle): Promise<void> {
      const command = new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        LifecycleConfiguration: { Rules: rules },
        TransitionDefaultMinimumObjectSize: minimumSize,
      });
      await call(
        "put_lifecycle",
        { bucket, permission: "s3:PutLifecycleConfiguration" },
        limitMs,
        (options) => client.send(command, options),
      );
    },
  };
}

/** For `catch`: `value` where the store says by this code that nothing is set; any other failure stays one. */
export function unlessUnset<Value>(code: string, value: Value) {
  return (error: unknown): Value => {
    if (error instanceof Error && error.name === code) return value;
    throw error;
  };
}
