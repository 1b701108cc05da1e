/** An integrator's embed client: its API key, created as the command creates it, and API calls with that key. */

import type { IssuedEmbedUrl } from "../../../app/embed/issue-embed-url.server";
import { createEmbedClient, type NewEmbedClient } from "../../../app/embed/manage-embed-clients.server";
import { createDatabase, type Database } from "../../../app/providers/database.server";
import type { FilesPolicy } from "../../../app/services/files/place/policy.server";
import { services } from "../../../app/services/registry.server";
import type { StackInfo } from "../../../local/stack-info";

const databases = new Map<string, Database>();

/** Returns the stack's database. A test process has one small connection pool for each database. */
export function databaseOf({ postgresUrl }: StackInfo): Database {
  const database = databases.get(postgresUrl) ?? createDatabase({ url: postgresUrl, poolSize: 2 });
  databases.set(postgresUrl, database);
  return database;
}

export interface TestEmbedClient {
  id: string;
  companyId: string;
  apiKey: string;
  /** the bucket that the client may access */
  bucket: string;
}

/** Creates an embed client for `bucket` in a new company. `changes` overrides its other properties. */
export async function makeEmbedClient(
  stack: StackInfo,
  { bucket = stack.objectStore.bucket, files, ...changes }: TestEmbedClientOptions = {},
): Promise<TestEmbedClient> {
  const client = {
    company: { name: "Test company" },
    name: "tests",
    services: ["files", "activity"],
    origins: [stack.demoClient.origin],
    policies: { files: { buckets: [bucket], ...files }, activity: {} },
    ...changes,
  };
  const made = await createEmbedClient(databaseOf(stack), client, services);
  return { ...made, bucket };
}

export type TestEmbedClientOptions = Partial<NewEmbedClient> & {
  bucket?: string;
  files?: Partial<FilesPolicy>;
};

/** Sends `POST /api/embed/url` as an integrator's backend does. */
export function postEmbedUrl(stack: StackInfo, apiKey: string | null, body: unknown): Promise<Response> {
  return fetch(`${stack.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(apiKey === null ? {} : { "X-Api-Key": apiKey }),
    },
    body: JSON.stringify(body),
  });
}

/** Issues an embed URL for `client`'s bucket. @throws Error when the response is not a success */
export async function issueEmbedUrl(
  stack: StackInfo,
  client: TestEmbedClient,
  request: { service?: string; scope?: object; expiresInSeconds?: number; visitor?: object } = {},
): Promise<IssuedEmbedUrl & { token: string }> {
  const { service = "files", scope, ...rest } = request;
  const response = await postEmbedUrl(stack, client.apiKey, {
    service,
    scope: { bucket: client.bucket, ...scope },
    ...rest,
  });
  if (!response.ok) throw new Error(`The API responded with ${response.status}: ${await response.text()}`);
  const issued = (await response.json()) as IssuedEmbedUrl;
  return { ...issued, token: new URL(issued.url).searchParams.get("t") ?? "" };
}
