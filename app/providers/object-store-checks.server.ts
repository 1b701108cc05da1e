import {
  DeleteObjectCommand,
  GetBucketCorsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketPolicyStatusCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import type { Env } from "../env.server";
import type { CorsRule } from "./object-store.server";
import { createS3Client } from "./s3-client.server";

/** One page of everything; each call is made once, so that the first refusal is what one sees. All throw what the SDK throws. */
export interface StoreProbe {
  /** Any signed request. Listing all buckets is often not permitted, which says that the credentials are good. */
  listBuckets(signal: AbortSignal): Promise<void>;
  listOneObject(bucket: string, signal: AbortSignal): Promise<void>;
  /** the rules there are; none is an empty list */
  corsRules(bucket: string, signal: AbortSignal): Promise<CorsRule[]>;
  /** whether a rule for the whole bucket ends multipart uploads that were never completed */
  abortsUnfinishedUploads(bucket: string, signal: AbortSignal): Promise<boolean>;
  publicAccess(bucket: string, signal: AbortSignal): Promise<PublicAccess>;
  /** the version that was made, where the bucket has versioning */
  put(object: ObjectName, body: string, signal: AbortSignal): Promise<string | undefined>;
  get(object: ObjectName, signal: AbortSignal): Promise<string>;
  /** takes one version away for good, or the object; the version of the marker that it left, if it left one */
  remove(object: ObjectName & { version?: string }, signal: AbortSignal): Promise<string | undefined>;
  /** how far the store's clock is ahead of ours by its last response, milliseconds; undefined before there is one */
  clockAheadMs(): number | undefined;
  close(): void;
}

export interface ObjectName {
  bucket: string;
  key: string;
}

export interface PublicAccess {
  /** all four settings of Block Public Access are on, in the bucket's own configuration */
  blocked: boolean;
  /** the bucket's policy lets everybody in; undefined where that was not asked */
  isPublic?: boolean;
}

export function createStoreProbe(settings: Env["objectStore"]): StoreProbe {
  const client = createS3Client(settings, { maxAttempts: 1 });
  let ahead: number | undefined;
  client.middlewareStack.add(
    (next) => async (input) => {
      const sent = Date.now();
      const output = await next(input);
      const headers = (output.response as { headers?: Record<string, string> }).headers;
      const theirs = Date.parse(headers?.date ?? "");
      // The header has whole seconds, so it lags by half a second on average.
      if (!Number.isNaN(theirs)) ahead = theirs + 500 - (sent + Date.now()) / 2;
      return output;
    },
    // Nearest to the wire: before the response is read, so that refusals are timed as well.
    { step: "deserialize", priority: "low", name: "readClock" },
  );

  return {
    async listBuckets(abortSignal) {
      await client.send(new ListBucketsCommand({}), { abortSignal });
    },

    async listOneObject(bucket, abortSignal) {
      await client.send(new ListObjectsV2Command({ Bucket: bucket, MaxKeys: 1 }), { abortSignal });
    },

    async corsRules(bucket, abortSignal) {
      const rules = await client
        .send(new GetBucketCorsCommand({ Bucket: bucket }), { abortSignal })
        .then(({ CORSRules }) => CORSRules ?? [])
        .catch(unlessNamed("NoSuchCORSConfiguration", []));
      return rules.map((rule) => ({
        allowedMethods: rule.AllowedMethods ?? [],
        allowedHeaders: rule.AllowedHeaders ?? [],
        allowedOrigins: rule.AllowedOrigins ?? [],
        exposeHeaders: rule.ExposeHeaders ?? [],
        maxAgeSeconds: rule.MaxAgeSeconds ?? 0,
      }));
    },

    async abortsUnfinishedUploads(bucket, abortSignal) {
      const rules = await client
        .send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), { abortSignal })
        .then(({ Rules }) => Rules ?? [])
        .catch(unlessNamed("NoSuchLifecycleConfiguration", []));
      return rules.some((rule) => {
        const { Prefix: prefix, ...narrower } = rule.Filter ?? {};
        const isWhole =
          !rule.Prefix && !prefix && Object.values(narrower).every((part) => part === undefined);
        return rule.Status === "Enabled" && isWhole && rule.AbortIncompleteMultipartUpload !== undefined;
      });
    },

    async publicAccess(bucket, abortSignal) {
      const block = await client
        .send(new GetPublicAccessBlockCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PublicAccessBlockConfiguration }) => PublicAccessBlockConfiguration)
        .catch(unlessNamed("NoSuchPublicAccessBlockConfiguration", undefined));
      const { BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets } = block ?? {};
      if (BlockPublicAcls && IgnorePublicAcls && BlockPublicPolicy && RestrictPublicBuckets) {
        return { blocked: true };
      }
      const isPublic = await client
        .send(new GetBucketPolicyStatusCommand({ Bucket: bucket }), { abortSignal })
        .then(({ PolicyStatus }) => PolicyStatus?.IsPublic)
        .catch(unlessNamed("NoSuchBucketPolicy", false))
        .catch(() => undefined);
      return { blocked: false, ...(isPublic === undefined ? {} : { isPublic }) };
    },

    async put({ bucket, key }, body, abortSignal) {
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body });
      return (await client.send(command, { abortSignal })).VersionId;
    },

    async get({ bucket, key }, abortSignal) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal });
      return (await Body?.transformToString()) ?? "";
    },

    async remove({ bucket, key, version }, abortSignal) {
      const command = new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version });
      const { DeleteMarker, VersionId } = await client.send(command, { abortSignal });
      return DeleteMarker && version === undefined ? VersionId : undefined;
    },

    clockAheadMs: () => ahead,
    close: () => client.destroy(),
  };
}

/** For `catch`: `value` where the store says so by this code; any other failure stays one. */
function unlessNamed<Value>(code: string, value: Value) {
  return (error: unknown): Value => {
    if (error instanceof Error && error.name === code) return value;
    throw error;
  };
}
