/** What scripts and tests need to know about a running stack: docs/contract.md#local-stack. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { demoClient } from "../prisma/seed";
import { CLUSTER_REGION, type Settings } from "./settings";
import { type Secrets, writePrivateFile } from "./state-folder";

export type StackInfo = ReturnType<typeof describeStack>;

export function describeStack(settings: Settings, secrets: Secrets) {
  const { appEnv, demoOrigin, bucket } = settings;
  const setting = (name: string) => appEnv[name] ?? "";
  return {
    apiBaseUrl: setting("API_BASE_URL"),
    platformBaseUrl: setting("PLATFORM_BASE_URL"),
    demoUrl: demoOrigin,
    mailboxUrl: setting("CLOUD_SES_ENDPOINT"),
    dataApiUrl: setting("CLOUD_RDS_DATA_ENDPOINT"),
    postgresUrl: setting("POSTGRES_URL"),
    embedSigningSecret: setting("EMBED_SIGNING_SECRET"),
    clusterRegion: CLUSTER_REGION,
    objectStore: {
      // The app needs no endpoint for Amazon S3, but readers of this file may.
      endpoint: setting("CLOUD_S3_ENDPOINT") || `https://s3.${setting("CLOUD_REGION")}.amazonaws.com`,
      region: setting("CLOUD_REGION"),
      accessKeyId: setting("CLOUD_ACCESS_KEY_ID"),
      secretAccessKey: setting("CLOUD_SECRET_ACCESS_KEY"),
      bucket,
    },
    demoClient: { ...demoClient, apiKey: secrets.demoApiKey, origin: demoOrigin },
    queue: {
      url: setting("QUEUE_URL"),
      currentSigningKey: setting("QUEUE_CURRENT_SIGNING_KEY"),
      nextSigningKey: setting("QUEUE_NEXT_SIGNING_KEY"),
    },
  };
}

/**
 * Writes `stack.json` for scripts and tests, and `app.env`, the app's settings, for the command-line tools. Returns a
 * function that removes both.
 */
export async function publishStackInfo(
  dataDir: string,
  info: StackInfo,
  appEnv: Settings["appEnv"],
): Promise<() => Promise<void>> {
  const lines = Object.entries(appEnv).map(([name, value]) => `${name}="${value}"`);
  await writePrivateFile(join(dataDir, "stack.json"), JSON.stringify(info, null, 2));
  await writePrivateFile(join(dataDir, "app.env"), lines.join("\n"));
  return async () => {
    for (const name of ["stack.json", "app.env"]) await rm(join(dataDir, name), { force: true });
  };
}

/** The lines of the table of addresses. */
export function listAddresses(info: StackInfo, withApp: boolean): string[] {
  const rows: [string, string][] = [
    ["mailbox", info.mailboxUrl],
    ["queue", info.queue.url],
    ["object store", info.objectStore.endpoint],
    ["Data API", info.dataApiUrl],
    ["PostgreSQL", new URL(info.postgresUrl).host],
  ];
  if (withApp) {
    rows.unshift(
      ["demo portal", info.demoUrl],
      ["app: API", info.apiBaseUrl],
      ["app: platform", info.platformBaseUrl],
    );
  }
  return rows.map(([name, address]) => `  ${name.padEnd(16)} ${address}`);
}
