import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { createObjectStore, type ObjectStore } from "../../app/providers/object-store.server";
import { startObjectStore } from "../../local/object-store";
import { signedWith } from "../support/files/object-store";

/** The S3-compatible endpoint that the assumptions are held against. */
export interface Endpoint {
  /** the product's own code, which is what has to get along with the endpoint */
  product: ObjectStore;
  /** for what the product does not do itself */
  client: S3Client;
  bucket: string;
  /** how to reach it, for other clients */
  settings: EndpointSettings;
  /** every key of this run starts with it, so that a bucket in use can be lent */
  prefix: string;
  /** someone else's store, named by CONTRACT_S3_ENDPOINT: it may lack what the product can do without */
  foreign: boolean;
  close(): Promise<void>;
}

export interface EndpointSettings {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  bucket: string;
  forcePathStyle: boolean;
}

/**
 * Our own store on a free port, or the endpoint of the CONTRACT_S3_* variables: `_ENDPOINT`, `_REGION`, `_BUCKET`,
 * `_ACCESS_KEY_ID`, `_SECRET_ACCESS_KEY`, and `_FORCE_PATH_STYLE` (`true` or `false`). See `own-bucket.ts` for one more.
 */
export async function openEndpoint(): Promise<Endpoint> {
  const own = process.env.CONTRACT_S3_ENDPOINT ? undefined : await startOwnStore();
  const settings = own?.settings ?? settingsFromEnv();
  const client = new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: settings,
    forcePathStyle: settings.forcePathStyle,
    requestChecksumCalculation: "WHEN_REQUIRED",
  });
  const product = createObjectStore({ ...settings, ...signedWith(settings), timeoutSeconds: 30 });
  const { bucket } = settings;
  if (own) await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const endpoint = {
    product,
    client,
    bucket,
    settings,
    prefix: `contract-${randomBytes(6).toString("hex")}/`,
    foreign: !own,
  };
  return {
    ...endpoint,
    async close() {
      await removeAll(endpoint);
      client.destroy();
      await own?.close();
    },
  };
}

async function startOwnStore() {
  const dataDir = await mkdtemp(join(tmpdir(), "object-store-contract-"));
  const settings = {
    region: "eu-central-1",
    accessKeyId: "contract-key",
    secretAccessKey: "contract-secret",
    bucket: "contract",
    forcePathStyle: true,
  };
  const store = await startObjectStore({ port: 0, dataDir, ...settings });
  return {
    settings: { ...settings, endpoint: store.endpoint },
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function settingsFromEnv(): EndpointSettings {
  const read = (name: string): string => {
    const value = process.env[`CONTRACT_S3_${name}`];
    if (!value) {
      throw new Error(`Set CONTRACT_S3_${name}: the contract test runs against CONTRACT_S3_ENDPOINT.`);
    }
    return value;
  };
  return {
    endpoint: read("ENDPOINT"),
    region: read("REGION"),
    bucket: read("BUCKET"),
    accessKeyId: read("ACCESS_KEY_ID"),
    secretAccessKey: read("SECRET_ACCESS_KEY"),
    forcePathStyle: process.env.CONTRACT_S3_FORCE_PATH_STYLE === "true",
  };
}

/** One by one: for many at once, some stores ask for a Content-MD5 that the SDK sends no more. */
export async function removeAll({ client, bucket, prefix }: Pick<Endpoint, "client" | "bucket" | "prefix">) {
  const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix, EncodingType: "url" });
  for await (const { Contents = [] } of pages) {
    const keys = Contents.map(({ Key = "" }) => decodeListed(Key));
    await Promise.all(keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
  }
}

/** A name as `encoding-type=url` writes it: percent-encoded, and in most stores a space is `+`. */
export function decodeListed(name: string): string {
  return decodeURIComponent(name.replaceAll("+", "%20"));
}

/** A presigned upload as the product makes one, and the headers to send with it. */
export function presignPut(
  { product, bucket }: Endpoint,
  key: string,
  { contentType = "application/pdf", size, ifNoneMatch = false }: Partial<UploadOptions> = {},
) {
  return product.presignPut({ bucket, key, contentType, size, ifNoneMatch, expiresInSeconds: 300 });
}

interface UploadOptions {
  contentType: string;
  /** bytes */
  size: number;
  ifNoneMatch: boolean;
}

/** A presigned download as the product makes one. */
export function presignGet({ product, bucket }: Endpoint, key: string, contentDisposition = "inline") {
  const contentType = "application/octet-stream";
  return product.presignGet({ bucket, key, contentDisposition, contentType, expiresInSeconds: 300 });
}

export async function putText({ client, bucket }: Endpoint, key: string, text = key): Promise<void> {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: text }));
}

export async function getText({ client, bucket }: Endpoint, key: string): Promise<string> {
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return (await Body?.transformToString()) ?? "";
}

/** Whether a store of someone else says that it does not do this, which is then no failure of the test. */
export function isLacking({ foreign }: Endpoint, error: unknown): boolean {
  return foreign && error instanceof Error && error.name === "NotImplemented";
}

/** The code in the XML of a refusal. */
export async function codeOf(response: Response): Promise<string> {
  return /<Code>(.*?)<\/Code>/.exec(await response.text())?.[1] ?? "";
}
