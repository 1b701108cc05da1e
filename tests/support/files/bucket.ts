/** Direct access to buckets in the stack's object store with the store's own credentials. */
import { createHash, randomBytes } from "node:crypto";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutBucketCorsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import type { StackInfo } from "../../../local/stack-info";

export interface TestBucket {
  name: string;
  /** `contentEncoding` is only stored; the bytes are not encoded */
  put(key: string, body: string | Uint8Array, contentType?: string, contentEncoding?: string): Promise<void>;
  /** an object's bytes, or null if it does not exist */
  get(key: string): Promise<Buffer | null>;
  /** hexadecimal SHA-256 of an object's bytes, read as a stream; null if the object does not exist */
  sha256(key: string): Promise<string | null>;
  remove(key: string): Promise<void>;
  /** removes many objects in few requests */
  removeAll(keys: readonly string[]): Promise<void>;
  /** all keys, at most 1,000 */
  list(): Promise<string[]>;
  /** replaces the tags of an object's newest version, as a malware scanner does */
  tag(key: string, tags: Record<string, string>): Promise<void>;
  /** enables versioning */
  keepVersions(): Promise<void>;
  /** suspends versioning */
  stopKeepingVersions(): Promise<void>;
  /** allows browsers at `origins` to read and write */
  allowOrigins(origins: string[]): Promise<void>;
}

/** Creates an empty bucket. */
export async function makeBucket(stack: Pick<StackInfo, "objectStore">): Promise<TestBucket> {
  const bucket = openBucket(stack.objectStore, newBucketName());
  await bucket.create();
  return bucket;
}

export function newBucketName(): string {
  return `test-${randomBytes(6).toString("hex")}`;
}

/** Opens an existing bucket of any store. */
export function openBucket(store: Omit<StackInfo["objectStore"], "bucket">, name: string) {
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  return {
    name,
    async create() {
      await client.send(new CreateBucketCommand({ Bucket: name }));
    },
    async put(
      key: string,
      body: string | Uint8Array,
      contentType = "application/octet-stream",
      contentEncoding?: string,
    ) {
      await client.send(
        new PutObjectCommand({
          Bucket: name,
          Key: key,
          Body: body,
          ContentType: contentType,
          ContentEncoding: contentEncoding,
        }),
      );
    },
    async get(key: string) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
        return Buffer.from((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async sha256(key: string) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
        const hash = createHash("sha256");
        for await (const chunk of Body as AsyncIterable<Uint8Array>) hash.update(chunk);
        return hash.digest("hex");
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    async remove(key: string) {
      await client.send(new DeleteObjectCommand({ Bucket: name, Key: key }));
    },
    async removeAll(keys: readonly string[]) {
      // A request names 1,000 keys at most.
      for (let at = 0; at < keys.length; at += 1_000) {
        const Objects = keys.slice(at, at + 1_000).map((Key) => ({ Key }));
        await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects } }));
      }
    },
    async list() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: name }));
      return Contents.flatMap(({ Key }) => Key ?? []);
    },
    async tag(key: string, tags: Record<string, string>) {
      const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await client.send(new PutObjectTaggingCommand({ Bucket: name, Key: key, Tagging: { TagSet } }));
    },
    async keepVersions() {
      const VersioningConfiguration = { Status: "Enabled" } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration }));
    },
    async stopKeepingVersions() {
      const VersioningConfiguration = { Status: "Suspended" } as const;
      await client.send(new PutBucketVersioningCommand({ Bucket: name, VersioningConfiguration }));
    },
    async allowOrigins(origins: string[]) {
      await client.send(
        new PutBucketCorsCommand({
          Bucket: name,
          CORSConfiguration: {
            CORSRules: [
              {
                AllowedMethods: ["GET", "PUT", "HEAD"],
                AllowedHeaders: ["*"],
                AllowedOrigins: origins,
                ExposeHeaders: ["ETag", "x-amz-request-id"],
                MaxAgeSeconds: 3000,
              },
            ],
          },
        }),
      );
    },
  };
}
