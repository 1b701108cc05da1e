import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CORSRule,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { type Endpoint, removeAll } from "./endpoint";

/** A bucket whose settings a test may change. */
export interface BucketToChange {
  name: string;
  /** set when there is none, and `name` is the lent bucket, which is not to be changed */
  reasonToSkip?: string;
  close(): Promise<void>;
}

/**
 * A bucket of this run's own, which is removed at the end (a run that is killed leaves `contract-…` behind); where the
 * credentials cannot make one, nothing but the reason.
 */
export async function openOwnBucket({ client, bucket, foreign }: Endpoint): Promise<BucketToChange> {
  const name = `contract-${randomBytes(6).toString("hex")}`;
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  } catch (error) {
    if (!foreign || !(error instanceof Error)) throw error;
    const reasonToSkip = `These credentials cannot create a bucket (${error.name}), and a lent one's settings are not changed.`;
    return { name: bucket, reasonToSkip, close: async () => undefined };
  }
  return {
    name,
    async close() {
      await removeAll({ client, bucket: name, prefix: "" });
      await client.send(new DeleteBucketCommand({ Bucket: name }));
    },
  };
}

/**
 * A bucket of this run's own, or with `CONTRACT_S3_MAY_CHANGE_CORS=true` the lent one. Its rules are then kept in a file
 * until they are back in place, so that even a run that is killed loses nothing: the next one restores them.
 */
export async function openBucketForCors(endpoint: Endpoint): Promise<BucketToChange> {
  const own = await openOwnBucket(endpoint);
  if (own.reasonToSkip === undefined) return own;
  if (process.env.CONTRACT_S3_MAY_CHANGE_CORS !== "true") {
    return {
      ...own,
      reasonToSkip: `${own.reasonToSkip} CONTRACT_S3_MAY_CHANGE_CORS=true permits it for CORS.`,
    };
  }
  const { client, bucket: name } = endpoint;
  const file = join(tmpdir(), `contract-cors-of-${name}.json`);
  if (!existsSync(file)) {
    writeFileSync(file, JSON.stringify((await readCorsRules(client, name)) ?? []), { mode: 0o600 });
  }
  console.info(`The CORS rules of ${name} are kept in ${file} until they are restored.`);
  return {
    name,
    async close() {
      await restoreCorsRules(client, name, JSON.parse(readFileSync(file, "utf8")));
      rmSync(file);
    },
  };
}

async function restoreCorsRules(client: S3Client, Bucket: string, CORSRules: CORSRule[]): Promise<void> {
  if (CORSRules.length === 0) await client.send(new DeleteBucketCorsCommand({ Bucket }));
  else await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
}

/** undefined when there are none */
export async function readCorsRules(client: S3Client, Bucket: string): Promise<CORSRule[] | undefined> {
  try {
    const { CORSRules } = await client.send(new GetBucketCorsCommand({ Bucket }));
    return CORSRules;
  } catch (error) {
    if (error instanceof Error && error.name === "NoSuchCORSConfiguration") return undefined;
    throw error;
  }
}
