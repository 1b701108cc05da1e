import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetBucketPolicyStatusCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import type { Env } from "../env/env.server";
import { createBucketSettings } from "./bucket-settings.server";
import { insteadOf, statusOf } from "./connection-errors";
import { copySource, type ObjectName } from "./object-changes.server";
import { createS3Client, watchDates } from "./s3-client.server";
import { aheadOfUs } from "./store-clock.server";

export const conditionalWrites = ["put", "copy", "delete"] as const;
export type ConditionalWrite = (typeof conditionalWrites)[number];

/** The doctor's calls of the store. Each is made once, so that the first error is reported. All throw what the SDK throws. */
export type StoreProbe = ReturnType<typeof createStoreProbe>;

export function createStoreProbe(settings: Env["objectStore"]) {
  const client = createS3Client(settings, { maxAttempts: 1 });
  let ahead: number | undefined;
  watchDates(client, (...response) => {
    ahead = aheadOfUs(...response) ?? ahead;
  });
  const settingsWithin = (abortSignal: AbortSignal) =>
    createBucketSettings((command) => client.send(command, { abortSignal }));

  return {
    /** Tests the credentials: listing all buckets is often denied, which only valid credentials are. */
    async listBuckets(abortSignal: AbortSignal) {
      await client.send(new ListBucketsCommand({}), { abortSignal });
    },

    async listOneObject(bucket: string, abortSignal: AbortSignal) {
      await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), { abortSignal });
    },

    /** `Enabled`, `Suspended`, or undefined if versioning was never enabled */
    async versioning(bucket: string, abortSignal: AbortSignal) {
      return (await settingsWithin(abortSignal).versioning(bucket)) || undefined;
    },

    async listOneVersion(bucket: string, abortSignal: AbortSignal) {
      await client.send(new ListObjectVersionsCommand({ Bucket: bucket, MaxKeys: 1 }), { abortSignal });
    },

    corsRules: (bucket: string, abortSignal: AbortSignal) => settingsWithin(abortSignal).corsRules(bucket),

    lifecycleRules: async (bucket: string, abortSignal: AbortSignal) =>
      (await settingsWithin(abortSignal).lifecycle(bucket)).rules,

    notifications: (bucket: string, abortSignal: AbortSignal) =>
      settingsWithin(abortSignal).notifications(bucket),

    /**
     * `blocked`: all four settings of Block Public Access are on for the bucket. `isPublic`: the bucket's policy grants
     * access to everybody; undefined if the store does not tell.
     */
    async publicAccess(bucket: string, abortSignal: AbortSignal) {
      const block = await client
        .send(new GetPublicAccessBlockCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PublicAccessBlockConfiguration }) => PublicAccessBlockConfiguration)
        .catch(insteadOf("NoSuchPublicAccessBlockConfiguration", undefined));
      const { BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets } = block ?? {};
      if (BlockPublicAcls && IgnorePublicAcls && BlockPublicPolicy && RestrictPublicBuckets) {
        return { blocked: true, isPublic: false };
      }
      const isPublic = await client
        .send(new GetBucketPolicyStatusCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PolicyStatus }) => PolicyStatus?.IsPublic)
        .catch(insteadOf("NoSuchBucketPolicy", false))
        .catch(() => undefined);
      return { blocked: false, isPublic };
    },

    /** Returns the new version, if the bucket keeps versions. */
    async put({ bucket, key }: ObjectName, body: string, abortSignal: AbortSignal) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body });
      return (await client.send(command, { abortSignal })).VersionId;
    },

    async get({ bucket, key }: ObjectName, abortSignal: AbortSignal) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      return (await Body?.transformToString()) ?? "";
    },

    /** Deletes one version for good, or the object. Returns the version of the delete marker, if there is one. */
    async remove(
      { bucket, key, version }: ObjectName & { version?: string | undefined },
      abortSignal: AbortSignal,
    ): Promise<string | undefined> {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version });
      const { DeleteMarker, VersionId } = await client.send(command, { abortSignal });
      return DeleteMarker && version === undefined ? VersionId : undefined;
    },

    /**
     * Sends a write under a condition that fails for an existing object. Returns whether the store refused it for that; if not, the version
     * that the write may have made.
     */
    async keepsCondition(
      write: ConditionalWrite,
      { bucket, key }: ObjectName,
      abortSignal: AbortSignal,
    ): Promise<{ isKept: boolean; version?: string | undefined }> {
      const object = { Bucket: bucket, Key: key };
      const absent = { ...object, IfNoneMatch: "*" };
      const CopySource = copySource({ bucket, key });
      const send = {
        put: () => client.send(new PutObjectCommand({ ...absent, Body: "overwritten" }), { abortSignal }),
        // A copy onto itself is possible only with new metadata.
        copy: () => {
          const command = new CopyObjectCommand({ ...absent, CopySource, MetadataDirective: "REPLACE" });
          return client.send(command, { abortSignal });
        },
        delete: () => {
          const command = new DeleteObjectCommand({ ...object, IfMatch: '"another"' });
          return client.send(command, { abortSignal });
        },
      };
      try {
        const { VersionId: version } = await send[write]();
        return { isKept: false, version };
      } catch (error) {
        const status = statusOf(error);
        if (status === 412) return { isKept: true };
        // The store does not know the condition, and has done nothing.
        if (status === 400 || status === 501) return { isKept: false };
        throw error;
      }
    },

    /** How far the store's clock was ahead of ours in its last response, milliseconds; undefined before the first response. */
    clockAheadMs: () => ahead,
    close: () => client.destroy(),
  };
}
