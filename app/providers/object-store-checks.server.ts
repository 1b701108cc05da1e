import {
  type CORSRule,
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyStatusCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import type { Env } from "../env.server";
import { unlessUnset } from "./bucket-settings.server";
import { createS3Client, watchDates } from "./s3-client.server";
import { aheadOfUs } from "./store-clock.server";

interface ObjectName {
  bucket: string;
  key: string;
}

/** Each call is made once, so that the first refusal is what one sees. All throw what the SDK throws. */
export type StoreProbe = ReturnType<typeof createStoreProbe>;

export function createStoreProbe(settings: Env["objectStore"]) {
  const client = createS3Client(settings, { maxAttempts: 1 });
  let ahead: number | undefined;
  watchDates(client, (...response) => {
    ahead = aheadOfUs(...response) ?? ahead;
  });

  return {
    /** Any signed request. Listing all buckets is often not permitted, which says that the credentials are good. */
    async listBuckets(abortSignal: AbortSignal) {
      await client.send(new ListBucketsCommand({}), { abortSignal });
    },

    async listOneObject(bucket: string, abortSignal: AbortSignal) {
      await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), { abortSignal });
    },

    /** whether the bucket keeps versions: `Enabled`, `Suspended`, or never has: undefined */
    async versioning(bucket: string, abortSignal: AbortSignal) {
      const command = new GetBucketVersioningCommand({ Bucket: bucket });
      return (await client.send(command, { abortSignal })).Status;
    },

    async listOneVersion(bucket: string, abortSignal: AbortSignal) {
      await client.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1 }), { abortSignal });
    },

    /** the rules there are; none is an empty list */
    corsRules(bucket: string, abortSignal: AbortSignal): Promise<CORSRule[]> {
      return client
        .send(new GetBucketCorsCommand({ Bucket: bucket }), { abortSignal })
        .then(({ CORSRules = [] }) => CORSRules)
        .catch(unlessUnset("NoSuchCORSConfiguration", []));
    },

    /** after how many days a rule for the whole bucket ends uploads in parts that were never completed; undefined where none does */
    async uploadsEndAfterDays(bucket: string, abortSignal: AbortSignal): Promise<number | undefined> {
      const rules = await client
        .send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), { abortSignal })
        .then(({ Rules }) => Rules ?? [])
        .catch(unlessUnset("NoSuchLifecycleConfiguration", []));
      const days = rules.flatMap(({ Status, Prefix, Filter, AbortIncompleteMultipartUpload: abort }) => {
        const { Prefix: prefix, ...narrower } = Filter ?? {};
        const isWhole = !Prefix && !prefix && Object.values(narrower).every((part) => part === undefined);
        return Status === "Enabled" && isWhole ? (abort?.DaysAfterInitiation ?? []) : [];
      });
      return days.length === 0 ? undefined : Math.min(...days);
    },

    /**
     * `blocked`: all four settings of Block Public Access are on, in the bucket's own configuration; `isPublic`: the bucket's policy
     * lets everybody in, undefined where that could not be asked.
     */
    async publicAccess(bucket: string, abortSignal: AbortSignal) {
      const block = await client
        .send(new GetPublicAccessBlockCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PublicAccessBlockConfiguration }) => PublicAccessBlockConfiguration)
        .catch(unlessUnset("NoSuchPublicAccessBlockConfiguration", undefined));
      const { BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets } = block ?? {};
      if (BlockPublicAcls && IgnorePublicAcls && BlockPublicPolicy && RestrictPublicBuckets) {
        return { blocked: true, isPublic: false };
      }
      const isPublic = await client
        .send(new GetBucketPolicyStatusCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PolicyStatus }) => PolicyStatus?.IsPublic)
        .catch(unlessUnset("NoSuchBucketPolicy", false))
        .catch(() => undefined);
      return { blocked: false, isPublic };
    },

    /** the version that was made, where the bucket has versioning */
    async put({ bucket, key }: ObjectName, body: string, abortSignal: AbortSignal) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body });
      return (await client.send(command, { abortSignal })).VersionId;
    },

    async get({ bucket, key }: ObjectName, abortSignal: AbortSignal) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      return (await Body?.transformToString()) ?? "";
    },

    /** takes one version away for good, or the object; the version of the marker that it left, if it left one */
    async remove(
      { bucket, key, version }: ObjectName & { version?: string | undefined },
      abortSignal: AbortSignal,
    ): Promise<string | undefined> {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version });
      const { DeleteMarker, VersionId } = await client.send(command, { abortSignal });
      return DeleteMarker && version === undefined ? VersionId : undefined;
    },

    /** how far the store's clock is ahead of ours by its last response, milliseconds; undefined before there is one */
    clockAheadMs: () => ahead,
    close: () => client.destroy(),
  };
}
