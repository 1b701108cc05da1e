import { setTimeout as sleep } from "node:timers/promises";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "../../tests/support/app/built-app";
import { issueEmbedUrl, makeEmbedClient } from "../../tests/support/app/embed-client";
import { freshName, makeCompany } from "../../tests/support/databases/cluster-databases";
import { Wire } from "../../tests/support/network/wire";
import type { ProvidersFound, Timing } from "./checkers/providers";
import type { History } from "./drill";

const MAX_RESPONSE_SECONDS = 15;
/** Time for which a provider is unavailable, at least. Where it hangs, requests take longer. */
const OUTAGE_SECONDS = 3;
/** Concurrent requests, more than there are connections to the database. */
const CONCURRENCY = 12;
/** Pause between two rounds of requests while a provider recovers, milliseconds. */
const ROUND_PAUSE_MS = 50;

const faults = {
  refuses: (wire: Wire) => wire.cut(),
  hangs: async (wire: Wire) => wire.hold(),
  "goes silent": async (wire: Wire) => wire.silence(),
};

interface Provider {
  name: string;
  /** the environment variable with its URL */
  setting: string;
  url: (stack: StackInfo) => string;
  /** sends one request that needs it; resolves with `false` if the request fails */
  call: (app: BuiltApp) => Promise<boolean>;
  /** seconds */
  latestResponse: number;
}

/** Tests each provider with each fault. */
export async function* drillProviders(stack: StackInfo): AsyncGenerator<History<never, ProvidersFound>> {
  const client = await makeEmbedClient(stack);
  const { token } = await issueEmbedUrl(stack, client, { expiresInSeconds: 3600 });
  const companyId = await makeCompany(stack);
  const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
    return response.ok;
  };
  // The one that takes longest is first, so that two at a time end at about the same time.
  const providers: Provider[] = [
    {
      name: "Data API",
      setting: "CLOUD_RDS_DATA_ENDPOINT",
      url: ({ dataApiUrl }) => dataApiUrl,
      call: ({ apiBaseUrl }) =>
        post(`${apiBaseUrl}/api/cluster/databases`, {
          companyId,
          name: freshName(),
          region: stack.clusterRegion,
        }),
      // Creating a database may take as long as a cluster takes to wake up. The lookup before it may not.
      latestResponse: 20,
    },
    {
      name: "PostgreSQL",
      setting: "POSTGRES_URL",
      url: ({ postgresUrl }) => postgresUrl,
      call: ({ apiBaseUrl }) =>
        post(
          `${apiBaseUrl}/api/embed/url`,
          { service: "files", scope: { bucket: client.bucket } },
          { "X-Api-Key": client.apiKey },
        ),
      latestResponse: MAX_RESPONSE_SECONDS,
    },
    {
      name: "object store",
      setting: "CLOUD_S3_ENDPOINT",
      url: ({ objectStore }) => objectStore.endpoint,
      call: ({ env }) =>
        post(`${env.PLATFORM_BASE_URL}/api/embed/storage/list`, { token, bucket: client.bucket }),
      latestResponse: MAX_RESPONSE_SECONDS,
    },
    {
      name: "mail provider",
      setting: "CLOUD_SES_ENDPOINT",
      url: ({ mailboxUrl }) => mailboxUrl,
      call: ({ apiBaseUrl }) =>
        post(`${apiBaseUrl}/api/send-simple-email`, {
          to: "ada@example.com",
          title: "Drill",
          description: "Drill",
        }),
      latestResponse: MAX_RESPONSE_SECONDS,
    },
  ];
  // Each has its own app, and waits most of the time. More at once would compete for two cores while times are measured.
  const histories = await mapConcurrently(providers, 2, async (provider) => {
    const own: History<never, ProvidersFound>[] = [];
    for (const [way, apply] of Object.entries(faults))
      own.push(await drill(stack, provider, `${provider.name} ${way}`, apply));
    return own;
  });
  yield* histories.flat();
}

async function drill(
  stack: StackInfo,
  provider: Provider,
  title: string,
  apply: (wire: Wire) => Promise<void>,
): Promise<History<never, ProvidersFound>> {
  const wire = await Wire.to(provider.url(stack));
  const app = await startBuiltApp(stack, {
    RATE_LIMIT_PER_ADDRESS: "1000000",
    [provider.setting]: wire.over(provider.url(stack)),
  });
  const call = () => timed(provider.call(app).catch(() => false));
  try {
    const before = await Promise.all(Array.from({ length: CONCURRENCY }, call));
    await apply(wire);
    const outage = sleep(OUTAGE_SECONDS * 1000);
    const responses = Promise.all(Array.from({ length: CONCURRENCY }, call));
    const readiness = await timed(fetch(`${app.apiBaseUrl}/readyz`).then(({ status }) => status));
    const health = await timed(fetch(`${app.apiBaseUrl}/healthz`).then(({ status }) => status));
    const during = await responses;
    await outage;
    await wire.restore();
    const { seconds: recoverySeconds } = await timed(untilSteady(call));
    return {
      title,
      operations: [],
      found: {
        workedBefore: before.every(({ result }) => result),
        during,
        readiness,
        health,
        recoverySeconds,
        wantedReadiness: provider.name === "PostgreSQL" ? 503 : 200,
        maxSeconds: provider.latestResponse,
      },
    };
  } finally {
    await app.close();
    await wire.cut();
  }
}

/** Resolves when as many concurrent requests as before all succeed. */
async function untilSteady(call: () => Promise<{ result: boolean }>): Promise<void> {
  for (;;) {
    const results = await Promise.all(Array.from({ length: CONCURRENCY }, call));
    if (results.every(({ result }) => result)) return;
    await sleep(ROUND_PAUSE_MS);
  }
}

async function timed<Result>(work: Promise<Result>): Promise<Timing<Result>> {
  const started = performance.now();
  return { result: await work, seconds: (performance.now() - started) / 1000 };
}
