import {
  type CORSRule,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketVersioningCommand,
  type LifecycleRule,
  type NotificationConfiguration,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketNotificationConfigurationCommand,
  PutBucketVersioningCommand,
  type TransitionDefaultMinimumObjectSize,
} from "@aws-sdk/client-s3";
import { hasCode } from "../shared/app-error";
import type { CallContext } from "../shared/request-context.server";
import { insteadOf } from "./connection-errors";
import type { SendToStore } from "./s3-client.server";

export interface Lifecycle {
  rules: LifecycleRule[];
  /** written back as it was read, because a store resets it when it is left out */
  minimumSize: TransitionDefaultMinimumObjectSize | undefined;
}

/** The CORS and lifecycle rules of a bucket, its versioning and its notifications. All throw AppError `bucket_not_found`, `provider_failed`, `unavailable`. */
export function createBucketSettings(send: SendToStore) {
  /** `Enabled` or `Suspended`; empty if the bucket never kept versions. @param limitMs milliseconds */
  async function versioning(bucket: string, context?: CallContext, limitMs?: number): Promise<string> {
    const command = new GetBucketVersioningCommand({ Bucket: bucket });
    const permission = "s3:GetBucketVersioning";
    return (await send(command, { name: "get_versioning", permission, context, limitMs })).Status ?? "";
  }

  return {
    async corsRules(bucket: string): Promise<CORSRule[]> {
      const command = new GetBucketCorsCommand({ Bucket: bucket });
      return send(command, { name: "get_cors", permission: "s3:GetBucketCORS" }).then(
        ({ CORSRules = [] }) => CORSRules,
        insteadOf("NoSuchCORSConfiguration", []),
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
        insteadOf("NoSuchLifecycleConfiguration", { rules: [], minimumSize: undefined }),
      );
    },

    /** To whom the bucket publishes what happens in it. */
    async notifications(bucket: string): Promise<NotificationConfiguration> {
      const command = new GetBucketNotificationConfigurationCommand({ Bucket: bucket });
      const { $metadata, ...found } = await send(command, {
        name: "get_notifications",
        permission: "s3:GetBucketNotification",
      });
      return found;
    },

    async putNotifications(
      bucket: string,
      NotificationConfiguration: NotificationConfiguration,
    ): Promise<void> {
      const input = { Bucket: bucket, NotificationConfiguration };
      const command = new PutBucketNotificationConfigurationCommand(input);
      await send(command, { name: "put_notifications", permission: "s3:PutBucketNotification" });
    },

    versioning,

    /** Whether deleted objects can be restored; false if the store does not say. */
    async keepsVersions(bucket: string, context?: CallContext): Promise<boolean> {
      try {
        return (await versioning(bucket, context)) === "Enabled";
      } catch (error) {
        if (hasCode(error, "provider_failed")) return false;
        throw error;
      }
    },

    /** From now on, what is replaced or deleted is kept as an older version. */
    async enableVersioning(bucket: string): Promise<void> {
      const command = new PutBucketVersioningCommand({
        Bucket: bucket,
        VersioningConfiguration: { Status: "Enabled" },
      });
      await send(command, { name: "put_versioning", permission: "s3:PutBucketVersioning" });
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
