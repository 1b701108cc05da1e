/**
 * Sends the same webhooks to a receiver on this machine in three ways: by our worker, by jobs of graphile-worker that do nothing else, and
 * without a queue. Each way runs at most 50 attempts at once. Ours also reads the event, keeps the order of each file, and records what
 * became of each attempt.
 */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Events, newEventId } from "../../app/events/events.server";
import { createDatabase, type Database } from "../../app/providers/database.server";
import { services } from "../../app/services/registry.server";
import { mapConcurrently } from "../../app/shared/map-concurrently";
import { sendWebhook } from "../../app/webhooks/send-webhook.server";
import { newWebhookSecret, sealWebhookSecret } from "../../app/webhooks/webhook-secret.server";
import { WebhookWorker } from "../../app/webhooks/webhook-worker.server";
import { migrate } from "../../prisma/migrate";
import { query, startTestPostgres } from "../../tests/support/databases/postgres";
import { WebhookReceiver } from "../../tests/support/integrator/webhook-receiver";
import { installPeers } from "./peers";
import { type BenchmarkResult, median, medianRow } from "./result";

const EVENTS = 10_000;
const ROUNDS = 3;
/** of our worker: 5 for each of 10 endpoints */
const MAX_RUNNING = 50;
const ENDPOINTS = 10;
const POOL_SIZE = 10;
const SIGNING_SECRET = "secret-of-the-benchmark";
const folder = fileURLToPath(new URL("webhooks", import.meta.url));
const load = createRequire(`${folder}/package.json`);

export async function run(): Promise<BenchmarkResult> {
  const peers = installPeers(folder);
  const postgres = await startTestPostgres();
  const receiver = await WebhookReceiver.start();
  const ways = { "no queue": sendAll, "graphile-worker": sendByJobs, ours: sendByWorker };
  const rates: Record<string, number[]> = { "no queue": [], "graphile-worker": [], ours: [] };
  try {
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, send] of Object.entries(ways)) {
        const url = await postgres.createDatabase();
        await migrate(url);
        const database = createDatabase({ url, poolSize: POOL_SIZE });
        try {
          const seconds = await send({ postgresUrl: url, receiver, database });
          rates[name]?.push(EVENTS / seconds);
        } finally {
          await database.$disconnect();
        }
      }
  } finally {
    await receiver.stop();
    await postgres.stop();
  }
  const bare = median(rates["graphile-worker"] ?? []);
  return {
    title: `Sending ${EVENTS} webhooks, at most ${MAX_RUNNING} at once, to a receiver on this machine, ${ROUNDS} rounds`,
    rows: Object.entries(rates).map(([name, found]) =>
      medianRow(
        name,
        found,
        (rate) => `${Math.round(rate)} a second`,
        `${(median(found) / bare).toFixed(2)} of graphile-worker`,
      ),
    ),
    raw: Object.fromEntries(Object.entries(rates).map(([name, found]) => [`${name}, per second`, found])),
    peers,
    notes: [
      "Jobs of graphile-worker only send. Ours also reads the event, keeps the order of each file, and records what became of each attempt.",
    ],
  };
}

const secret = newWebhookSecret();
const ids = Array.from({ length: EVENTS }, () => newEventId());

const send = async (url: string, id: string) => {
  const payload = { id, type: "file.uploaded", occurredAt: new Date().toISOString(), data: { size: 3 } };
  const { error } = await sendWebhook({ url, secrets: [secret], id, payload }, { allowPrivate: true });
  if (error !== null) throw new Error(error);
};

/** @returns the seconds until the receiver has got everything */
type Way = (given: { postgresUrl: string; receiver: WebhookReceiver; database: Database }) => Promise<number>;

const sendAll: Way = ({ receiver }) =>
  time(receiver, () => mapConcurrently(ids, MAX_RUNNING, (id) => send(receiver.url, id)));

const sendByJobs: Way = async ({ postgresUrl, receiver }) => {
  const { run: runJobs, runMigrations, Logger } = load("graphile-worker") as GraphileWorker;
  const options = { connectionString: postgresUrl, logger: new Logger(() => () => {}) };
  await runMigrations(options);
  await query(
    postgresUrl,
    "SELECT graphile_worker.add_job('send', json_build_object('id', id)) FROM unnest($1::uuid[]) AS id",
    [ids],
  );
  let jobs: { stop(): Promise<void> } | undefined;
  const seconds = await time(receiver, async () => {
    const taskList = { send: ({ id }: { id: string }) => send(receiver.url, id) };
    jobs = await runJobs({ ...options, taskList, concurrency: MAX_RUNNING, maxPoolSize: POOL_SIZE });
  });
  await jobs?.stop();
  return seconds;
};

/** The part of graphile-worker's types that is used here. */
interface GraphileWorker {
  run(options: object): Promise<{ stop(): Promise<void> }>;
  runMigrations(options: object): Promise<void>;
  Logger: new (factory: () => () => void) => object;
}

const sendByWorker: Way = async ({ receiver, database }) => {
  const sealed = sealWebhookSecret(secret, [SIGNING_SECRET]);
  const companyIds = Array.from({ length: ENDPOINTS }, (_, index) => `company-${index}`);
  await database.company.createMany({ data: companyIds.map((id) => ({ id, name: id })) });
  await database.embedClient.createMany({
    data: companyIds.map((companyId) => ({
      id: companyId,
      companyId,
      name: "benchmark",
      apiKeyHash: companyId,
      allowedServices: ["activity"],
      allowedScopes: { activity: {} },
    })),
  });
  await database.webhookEndpoint.createMany({
    data: companyIds.map((companyId) => ({
      companyId,
      clientId: companyId,
      url: receiver.url,
      types: ["*"],
      secret: sealed,
    })),
  });
  const events = new Events(database);
  const recorded = ids.map((id, index) =>
    events.record({
      id,
      type: "file.uploaded",
      bucket: "benchmark",
      key: `file-${index}.pdf`,
      data: { size: 3, etag: '"e"' },
      companyId: companyIds[index % ENDPOINTS] ?? "",
      clientId: "client",
    }),
  );
  await Promise.all(recorded);
  const worker = new WebhookWorker(database, {
    signingSecrets: [SIGNING_SECRET],
    allowPrivate: true,
    services,
  });
  const seconds = await time(receiver, async () => worker.start());
  await worker.stop();
  return seconds;
};

async function time(receiver: WebhookReceiver, begin: () => Promise<unknown>): Promise<number> {
  receiver.got.length = 0;
  const isComplete = new Promise<void>((resolve) => {
    receiver.respond = (response) => {
      response.writeHead(204).end();
      if (receiver.got.length === EVENTS) resolve();
    };
  });
  const startedAt = performance.now();
  await begin();
  await isComplete;
  return (performance.now() - startedAt) / 1000;
}
