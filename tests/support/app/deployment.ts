/** Separate deployments on the stack, each with its own database, for tests of the operators' commands. */
import { randomBytes } from "node:crypto";
import { createEmbedClient } from "../../../app/embed/manage-embed-clients.server";
import { createDatabase, type Database } from "../../../app/providers/database.server";
import { services } from "../../../app/services/registry.server";
import { CLUSTER_ARN, SECRET_ARN } from "../../../local/settings";
import type { StackInfo } from "../../../local/stack-info";
import { migrate } from "../../../prisma/migrate";
import { query } from "../databases/postgres";
import { makeBucket, type TestBucket } from "../files/bucket";

/** Not template1, which PostgreSQL does not copy while a test is connected to it. */
const EMPTY = "template0";
let migratedTemplate: Promise<string> | undefined;

/**
 * Creates a database without rows on the stack's server. Migrated databases are copies of the first one, which takes a tenth of
 * the time.
 */
export async function makeDatabase(stack: StackInfo, { migrated = true } = {}): Promise<string> {
  if (!migrated) return createDatabaseFrom(stack, EMPTY);
  migratedTemplate ??= createDatabaseFrom(stack, EMPTY).then(async (url) => {
    await migrate(url);
    return new URL(url).pathname.slice(1);
  });
  return createDatabaseFrom(stack, await migratedTemplate);
}

async function createDatabaseFrom(stack: StackInfo, template: string): Promise<string> {
  const name = `deployment_${randomBytes(6).toString("hex")}`;
  await query(stack.postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(stack.postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` with the database at `url`. */
export async function withDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase({ url, poolSize: 2 });
  try {
    return await work(database);
  } finally {
    await database.$disconnect();
  }
}

/** Adds an active client for `buckets` to the database at `url`, and returns its id. */
export async function addClient(
  url: string,
  buckets: string[],
  origins: string[],
  files: object = {},
): Promise<string> {
  return withDatabase(url, async (database) => {
    const client = {
      company: { name: "Test company" },
      name: "tests",
      services: ["files"],
      origins,
      policies: { files: { buckets, ...files } },
    };
    return (await createEmbedClient(database, client, services)).id;
  });
}

/** The origin that clients and buckets of `makeDeployment` allow. */
export const ORIGIN = "https://portal.example.com";

/** Creates a database with one client and a bucket whose CORS rules let browsers in. */
export async function makeDeployment(stack: StackInfo): Promise<{ database: string; bucket: TestBucket }> {
  const [database, bucket] = await Promise.all([makeDatabase(stack), makeBucket(stack)]);
  await addClient(database, [bucket.name], [ORIGIN]);
  await bucket.allowOrigins([stack.platformBaseUrl, ORIGIN]);
  return { database, bucket };
}

/** The complete environment of a deployment that uses the stack's services. Nothing is inherited from this process's environment. */
export function deploymentEnv(
  stack: StackInfo,
  postgresUrl: string,
): Record<string, string> & { NODE_ENV: "production" } {
  const { accessKeyId, secretAccessKey, region, endpoint } = stack.objectStore;
  return {
    PATH: process.env.PATH ?? "",
    NODE_ENV: "production",
    API_BASE_URL: stack.apiBaseUrl,
    PLATFORM_BASE_URL: stack.platformBaseUrl,
    POSTGRES_URL: postgresUrl,
    EMBED_SIGNING_SECRET: stack.embedSigningSecret,
    API_ALLOW_ANONYMOUS: "true",
    CLOUD_REGION: region,
    CLOUD_ACCESS_KEY_ID: accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: secretAccessKey,
    CLOUD_S3_ENDPOINT: endpoint,
    CLOUD_S3_FORCE_PATH_STYLE: "true",
    CLOUD_SES_ENDPOINT: stack.mailboxUrl,
    CLOUD_RDS_DATA_ENDPOINT: stack.dataApiUrl,
    CLUSTER_REF_CA_CENTRAL_1: CLUSTER_ARN,
    SECRET_REF_CA_CENTRAL_1: SECRET_ARN,
    EMAIL_FROM: "no-reply@platform.example",
    QUEUE_VERIFY: "true",
    QUEUE_CURRENT_SIGNING_KEY: stack.queue.currentSigningKey,
    QUEUE_NEXT_SIGNING_KEY: stack.queue.nextSigningKey,
  };
}
