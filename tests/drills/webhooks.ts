import { setTimeout as sleep } from "node:timers/promises";
import { webhooks } from "../../app/commands/webhooks";
import { Events, newEventId } from "../../app/events/events.server";
import { createDatabase } from "../../app/providers/database.server";
import { MAX_BLOCKING_FAILURES } from "../../app/webhooks/due-deliveries.server";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { makeEmbedClient } from "../support/app/embed-client";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";
import { WebhookReceiver } from "../support/integrator/webhook-receiver";
import type { DrillResult } from "./result";

/** How a receiver behaves, and how many events it is sent. */
const RECEIVERS = { steady: 4_000, flaky: 3_500, away: 2_000, hanging: 480, gone: 20 };
type Behaviour = keyof typeof RECEIVERS;
const EVENTS = Object.values(RECEIVERS).reduce((sum, count) => sum + count);
const EVENTS_OF_A_FILE = 5;
const KILLS = 20;
/** Requests that reach the receivers between two kills. */
const REQUESTS_BETWEEN_KILLS = Math.floor(EVENTS / (KILLS + 1));
const AWAY_MS = 120_000;
/** Attempts that get no response, of all to the hanging receiver. Each takes 15 seconds. */
const HANGING_ATTEMPTS = 10;
const MAX_DRILL_MS = 15 * 60_000;

/** What a receiver has seen of one event. */
interface Seen {
  /** its place among those of the same file, from 0 */
  place: number;
  file: string;
  failed: number;
  accepted: number;
  bodies: Set<string>;
}

/** Sends events to five receivers, four of which misbehave, while the two processes that send are killed repeatedly. */
export async function* drillWebhooks(shared: StackInfo): AsyncGenerator<DrillResult> {
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const apps: BuiltApp[] = [];
  const receivers: Receiver[] = [];
  const startedAt = Date.now();
  try {
    for (let count = 0; count < 2; count++)
      apps.push(await startBuiltApp(stack, { WEBHOOK_ALLOW_PRIVATE: "true", WORKER: "app" }));
    const kills = killRepeatedly(apps);
    for (const behaviour of Object.keys(RECEIVERS) as Behaviour[])
      receivers.push(await Receiver.start(behaviour, stack, apps[0] as BuiltApp, kills.countRequest));
    const away = receivers.find(({ behaviour }) => behaviour === "away") as Receiver;
    await away.stop();
    const isBack = sleep(AWAY_MS).then(() => away.comeBack());
    await record(stack.postgresUrl, receivers);
    await isBack;
    let replayed = 0;
    for (let round = 0; round < 3; round++) {
      await untilNothingIsPending(stack.postgresUrl, startedAt + MAX_DRILL_MS);
      replayed += await replayFailed(stack, receivers);
    }
    await kills.running;
    const pending = await countPending(stack.postgresUrl);
    yield {
      drill: `${EVENTS} webhooks to receivers that fail, hang, are down or gone; two senders killed ${kills.count} times`,
      figures: `${receivers.map((receiver) => receiver.describe()).join(", ")}; ${replayed} replayed after ten attempts; ${Math.round((Date.now() - startedAt) / 1000)} s`,
      failures: [
        kills.count >= KILLS ? "" : `the senders were killed only ${kills.count} times`,
        pending === 0 ? "" : `${pending} are still pending`,
        ...receivers.flatMap((receiver) => receiver.failures()),
      ].filter(Boolean),
    };
  } finally {
    await Promise.all(apps.map((app) => app.close()));
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

/** Kills one of the processes in turn, each time the receivers have got so many requests. */
function killRepeatedly(apps: BuiltApp[]) {
  let requests = 0;
  const kills = {
    count: 0,
    running: undefined as Promise<void> | undefined,
    countRequest() {
      requests += 1;
      const app = apps[kills.count % apps.length] as BuiltApp;
      if (kills.running || kills.count >= KILLS || requests < (kills.count + 1) * REQUESTS_BETWEEN_KILLS)
        return;
      kills.count += 1;
      kills.running = app
        .signal("SIGKILL")
        .then(() => app.start())
        .finally(() => {
          kills.running = undefined;
        });
    },
  };
  return kills;
}

class Receiver {
  readonly behaviour: Behaviour;
  readonly companyId: string;
  readonly webhookId: string;
  readonly seen = new Map<string, Seen>();
  readonly #server: WebhookReceiver;
  readonly #onRequest: () => void;
  #requests = 0;
  #outOfOrder = 0;

  private constructor(
    behaviour: Behaviour,
    { companyId, id }: { companyId: string; id: string },
    server: WebhookReceiver,
    onRequest: () => void,
  ) {
    this.behaviour = behaviour;
    this.companyId = companyId;
    this.webhookId = id;
    this.#server = server;
    this.#onRequest = onRequest;
    server.respond = (response) => {
      const { id, body } = this.#read();
      const seen = this.seen.get(id);
      this.#requests += 1;
      this.#onRequest();
      seen?.bodies.add(body);
      const status = this.#status();
      if (seen && status === 204) this.#accept(seen);
      else if (seen) seen.failed += 1;
      if (status !== undefined) response.writeHead(status).end();
    };
  }

  static async start(behaviour: Behaviour, stack: StackInfo, app: BuiltApp, onRequest: () => void) {
    const server = await WebhookReceiver.start();
    const { apiKey } = await makeEmbedClient(stack);
    const response = await fetch(`${app.apiBaseUrl}/api/webhooks`, {
      method: "POST",
      headers: { "X-Api-Key": apiKey, "Content-Type": "application/json" },
      body: JSON.stringify({ url: server.url, types: ["*"] }),
    });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    const { id: webhookId } = await response.json();
    const statement = 'SELECT "companyId", id FROM webhook_endpoints WHERE id = $1';
    const [webhook] = await query<{ companyId: string; id: string }>(stack.postgresUrl, statement, [
      webhookId,
    ]);
    if (webhook === undefined) throw new Error("The webhook was not created.");
    return new Receiver(behaviour, webhook, server, onRequest);
  }

  /** the latest message */
  #read() {
    const got = this.#server.got.pop();
    return { id: got?.headers["webhook-id"] ?? "", body: got?.body ?? "" };
  }

  /** undefined: no response */
  #status(): number | undefined {
    if (this.behaviour === "gone") return 410;
    if (this.behaviour === "flaky") return Math.random() < 0.5 ? 500 : 204;
    if (this.behaviour === "hanging" && this.#requests <= HANGING_ATTEMPTS) return undefined;
    return 204;
  }

  /** An event may arrive before an earlier one of its file only if that one has failed five times (docs/decisions/0114). */
  #accept(seen: Seen): void {
    seen.accepted += 1;
    if (seen.accepted > 1 || this.behaviour === "away") return;
    for (const other of this.seen.values())
      if (
        other.file === seen.file &&
        other.place < seen.place &&
        other.accepted === 0 &&
        other.failed < MAX_BLOCKING_FAILURES
      )
        this.#outOfOrder += 1;
  }

  comeBack = () => this.#server.restart();

  describe(): string {
    const all = [...this.seen.values()];
    const [arrived, doubled] = [1, 2].map((times) => all.filter(({ accepted }) => accepted >= times).length);
    return `${this.behaviour} ${arrived} of ${all.length} (${this.#requests} requests, ${doubled} doubled)`;
  }

  failures(): string[] {
    const all = [...this.seen.values()];
    const missing = all.filter(({ accepted }) => accepted === 0).length;
    const changed = all.filter(({ bodies }) => bodies.size > 1).length;
    const lost = this.behaviour === "gone" ? 0 : missing;
    return [
      lost === 0 ? "" : `${lost} did not arrive at the receiver that is ${this.behaviour}`,
      changed === 0 ? "" : `${changed} were repeated with another body`,
      this.#outOfOrder === 0
        ? ""
        : `${this.#outOfOrder} arrived too early at the receiver that is ${this.behaviour}`,
    ];
  }

  stop = () => this.#server.stop();
}

/** Records the events of all receivers, in the order of each file. */
async function record(url: string, receivers: Receiver[]): Promise<void> {
  const database = createDatabase({ url, poolSize: 2 });
  const events = new Events(database);
  try {
    for (let index = 0; index < Math.max(...Object.values(RECEIVERS)); index++) {
      const recorded = receivers.map(({ behaviour, companyId, seen }) => {
        if (index >= RECEIVERS[behaviour]) return undefined;
        const [file, place] = [`${Math.floor(index / EVENTS_OF_A_FILE)}.pdf`, index % EVENTS_OF_A_FILE];
        const id = newEventId();
        seen.set(id, { place, file, failed: 0, accepted: 0, bodies: new Set() });
        return events.record({
          id,
          type: "file.uploaded",
          bucket: "drill",
          key: file,
          data: { size: place, etag: '"e"' },
          companyId,
          clientId: "drill",
        });
      });
      await Promise.all(recorded);
    }
  } finally {
    await database.$disconnect();
  }
}

async function untilNothingIsPending(url: string, deadline: number): Promise<void> {
  while (Date.now() < deadline && (await countPending(url)) > 0) {
    await skipPauses(url);
    await sleep(1_000);
  }
}

/** A receiver that fails half of the time fails ten times in a row for one event of a thousand. @returns how many events are sent again */
async function replayFailed(stack: StackInfo, receivers: Receiver[]): Promise<number> {
  let count = 0;
  for (const { webhookId, behaviour } of receivers) {
    if (behaviour === "gone") continue;
    const words = ["replay", webhookId, "--since", "2020-01-01T00:00:00Z"];
    const { code, stdout, stderr } = await runHere(
      "webhooks",
      webhooks,
      words,
      deploymentEnv(stack, stack.postgresUrl),
    );
    if (code !== 0) throw new Error(stderr);
    count += Number.parseInt(stdout, 10);
  }
  return count;
}

async function countPending(url: string): Promise<number> {
  const statement =
    "SELECT count(*)::int AS count FROM webhook_deliveries JOIN webhook_endpoints ON id = endpoint_id WHERE status = 'pending' AND disabled_at IS NULL";
  return (await query<{ count: number }>(url, statement))[0]?.count ?? 0;
}

/** Makes due what waits for more than a minute. Attempts that run, or were cut off, end within a minute. */
async function skipPauses(url: string): Promise<void> {
  await query(
    url,
    `UPDATE webhook_deliveries SET next_attempt_at = now() AT TIME ZONE 'UTC'
      WHERE status = 'pending' AND next_attempt_at > now() AT TIME ZONE 'UTC' + interval '61 seconds'`,
  );
}
