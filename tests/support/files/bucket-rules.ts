/** Reads and sets a bucket's CORS and lifecycle rules, versioning and notifications with the store's own credentials. */
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
  S3Client,
} from "@aws-sdk/client-s3";
import type { StackInfo } from "../../../local/stack-info";

export function rulesOf(store: Omit<StackInfo["objectStore"], "bucket">, Bucket: string) {
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  return {
    async read() {
      const cors = client.send(new GetBucketCorsCommand({ Bucket })).catch(none);
      const lifecycle = client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })).catch(none);
      return { cors: (await cors)?.CORSRules ?? null, lifecycle: (await lifecycle)?.Rules ?? null };
    },
    async set({ cors, lifecycle }: { cors?: CORSRule[]; lifecycle?: LifecycleRule[] }) {
      if (cors)
        await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: cors } }));
      if (lifecycle) {
        const LifecycleConfiguration = { Rules: lifecycle };
        await client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }));
      }
    },
    async versioning() {
      return (await client.send(new GetBucketVersioningCommand({ Bucket }))).Status;
    },
    async setVersioning(Status: "Enabled" | "Suspended") {
      const VersioningConfiguration = { Status };
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
    },
    async notifications(): Promise<NotificationConfiguration> {
      const { $metadata, ...found } = await client.send(
        new GetBucketNotificationConfigurationCommand({ Bucket }),
      );
      return found;
    },
    async setNotifications(notifications: NotificationConfiguration) {
      const input = { Bucket, NotificationConfiguration: notifications };
      await client.send(new PutBucketNotificationConfigurationCommand(input));
    },
    close: () => client.destroy(),
  };
}

function none(error: unknown): undefined {
  if (error instanceof Error && error.name.startsWith("NoSuch")) return undefined;
  throw error;
}
