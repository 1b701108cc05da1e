import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  type TransitionDefaultMinimumObjectSize,
} from "@aws-sdk/client-s3";
import type { SendToStore } from "./s3-client.server";

export interface Lifecycle {
  rules: LifecycleRule[];
  /** written back as it was read, because a store resets it when it is left out */
  minimumSize: TransitionDefaultMinimumObjectSize | undefined;
}

/** The CORS and lifecycle rules of a bucket. All throw AppError `bucket_not_found`, `provider_failed`, `unavailable`. */
export function createBucketSettings(send: SendToStore) {
  return {
    async corsRules(bucket: string): Promise<CORSRule[]> {
      const command = new GetBucketCorsCommand({ Bucket: bucket });
      return send(command, { name: "get_cors", permission: "s3:GetBucketCORS" }).then(
        ({ CORSRules = [] }) => CORSRules,
        unlessUnset("NoSuchCORSConfiguration", []),
      );
    },

    async putCorsRules(bucket: string, rules: readonly CORSRule[]): Promise<void> {
      const CORSConfiguration = { CORSRules: [...rules] };
      const command = new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration });
      await send(command, { name: "put_cors", permission: "s3:PutBucketCORS" });
    },

    async lifecycle(bucket: string): Promise<Lifecycle> {
      const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
      return send(command, { name: "get_lifecycle", permission: "s3:GetLifecycleConfiguration" }).then(
        ({ Rules: rules = [], TransitionDefaultMinimumObjectSize: minimumSize }) => ({ rules, minimumSize }),
        unlessUnset("NoSuchLifecycleConfiguration", { rules: [], minimumSize: undefined }),
      );
    },

    async putLifecycle(bucket: string, { rules, minimumSize }: Lifecycle): Promise<void> {
      const command = new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        LifecycleConfiguration: { Rules: rules },
        TransitionDefaultMinimumObjectSize: minimumSize,
      });
      await send(command, { name: "put_lifecycle", permission: "s3:PutLifecycleConfiguration" });
    },
  };
}

/** For `catch`: `value` if the store says by this code that nothing is set; any other error is thrown again. */
export function unlessUnset<Value>(code: string, value: Value) {
  return (error: unknown): Value => {
    const isUnset = (thrown: unknown) => thrown instanceof Error && thrown.name === code;
    if (isUnset(error) || (error instanceof Error && isUnset(error.cause))) return value;
    throw error;
  };
}
