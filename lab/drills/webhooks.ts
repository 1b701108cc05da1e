import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { webhooks } from "../../app/commands/webhooks";
import { Events, newEventId } from "../../app/events/events.server";
import { createDatabase } from "../../app/providers/database.server";
import { MAX_RUNNING_PER_ENDPOINT } from "../../app/webhooks/webhooks.sql.server";
import type { StackInfo } from "../../local/stack-info";
import { type BuiltApp, startBuiltApp } from "../../tests/support/app/built-app";
import { deploymentEnv, makeDatabase } from "../../tests/support/app/deployment";
import { makeEmbedClient } from "../../tests/support/app/embed-client";
import { runHere } from "../../tests/support/app/run-command";
import { query } from "../../tests/support/databases/postgres";
import { WebhookReceiver } from "../../tests/support/integrator/webhook-receiver";
import type { Behaviour, WebhookOperation, WebhooksFound } from "./checkers/webhooks";
import { type DrillOptions, type History, Recorder } from "./drill";
import { type Choose, killMoments } from "./seed";

/** How many events each receiver is sent. */
const RECEIVERS: Record<Behaviour, number> = {
  steady: 4_000,
  flaky: 3_500,
  away: 2_000,
  hanging: 480,
  gone: 20,
};
const EVENTS = Object.values(RECEIVERS).reduce((sum, count) => sum + count);
const EVENTS_OF_A_FILE = 5;
const KILLS = 20;
/** Time for which one receiver is down, milliseconds. Two attempts fall into it; the third comes after five minutes, which the drill skips. */
const AWAY_MS = 60_000;
/** Attempts that get no response, of all to the hanging receiver. Each takes 15 seconds. */
const HANGING_ATTEMPTS = 10;
const MAX_DRILL_MS = 15 * 60_000;

/** Sends events to five receivers, four of which misbehave, while the two processes that send are killed repeatedly. */
export async function* drillWebhooks(
  shared: StackInfo,
  { choose }: DrillOptions,
): AsyncGenerator<History<WebhookOperation, WebhooksFound>> {
  const stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const apps: BuiltApp[] = [];
  const receivers: Receiver[] = [];
  const recorder = new Recorder<WebhookOperation>();
  const deadline = Date.now() + MAX_DRILL_MS;
  try {
    for (let count = 0; count < 2; count++)
      apps.push(await startBuiltApp(stack, { WEBHOOK_ALLOW_PRIVATE: "true", WORKER: "app" }));
    const kills = killRepeatedly(apps, killMoments(choose, KILLS, EVENTS), recorder);
    const tools = { choose, recorder, onRequest: kills.countRequest };
    for (const behaviour of Object.keys(RECEIVERS) as Behaviour[])
      receivers.push(await Receiver.start(behaviour, stack, apps[0] as BuiltApp, tools));
    const away = receivers.find(({ behaviour }) => behaviour === "away") as Receiver;
    await away.stop();
    const isBack = sleep(AWAY_MS).then(() => {
      recorder.add({ what: "receiver is back" });
      return away.comeBack();
    });
    // Its error is thrown below, where it is awaited.
    isBack.catch(() => {});
    await record(stack.postgresUrl, receivers);
    await isBack;
    let replayed = 0;
    for (let round = 0; round < 3; round++) {
      await untilNothingIsPending(stack.postgresUrl, deadline);
      replayed += await replayFailed(stack, receivers);
    }
    await kills.running;
    yield {
      title: `${EVENTS} webhooks to receivers that fail, hang, are down or gone; two senders killed ${kills.count} times`,
      operations: recorder.operations,
      found: {
        events: RECEIVERS,
        eventsOfAFile: EVENTS_OF_A_FILE,
        pending: await countPending(stack.postgresUrl),
        switchedOff: await findSwitchedOff(stack.postgresUrl, receivers),
        replayed,
        seconds: Math.round(recorder.milliseconds() / 1000),
        wantedKills: KILLS,
        maxRunning: MAX_RUNNING_PER_ENDPOINT,
      },
    };
  } finally {
    await Promise.all(apps.map((app) => app.close()));
    await Promise.all(receivers.map((receiver) => receiver.stop()));
  }
}

/** Kills one of the processes in turn, when the receivers have got so many requests. @param moments ascending */
function killRepeatedly(apps: BuiltApp[], moments: readonly number[], recorder: Recorder<WebhookOperation>) {
  let requests = 0;
  const kills = {
    count: 0,
    running: undefined as Promise<void> | undefined,
    countRequest() {
      requests += 1;
      const app = apps[kills.count % apps.length] as BuiltApp;
      const moment = moments[kills.count];
      if (kills.running || moment === undefined || requests < moment) return;
      kills.count += 1;
      kills.running = app
        .signal("SIGKILL")
        .then(() => {
          recorder.add({ what: "sender killed" });
          return app.start();
        })
        .then(() => {
          kills.running = undefined;
        });
      // Whoever awaits it later gets the error.
      kills.running.catch(() => {});
    },
  };
  return kills;
}

interface Tools {
  choose: Choose;
  recorder: Recorder<WebhookOperation>;
  onRequest: () => void;
}

class Receiver {
  readonly behaviour: Behaviour;
  readonly companyId: string;
  readonly webhookId: string;
  /** names of its events by their ids, for the record */
  readonly events = new Map<string, string>();
  readonly #server: WebhookReceiver;
  readonly #choose: Choose;
  readonly #attempts = new Map<string, number>();
  #requests = 0;

  private constructor(
    behaviour: Behaviour,
    { companyId, id }: { companyId: string; id: string },
    server: WebhookReceiver,
    { choose, recorder, onRequest }: Tools,
  ) {
    this.behaviour = behaviour;
    this.companyId = companyId;
    this.webhookId = id;
    this.#server = server;
    this.#choose = choose;
    server.respond = (response) => {
      const latest = server.got.pop();
      const event = this.events.get(latest?.headers["webhook-id"] ?? "") ?? "unknown";
      const body = createHash("sha256")
        .update(latest?.body ?? "")
        .digest("base64url");
      this.#requests += 1;
      onRequest();
      const status = this.#statusFor(event);
      recorder.add({ what: "received", by: behaviour, event, body, status });
      if (status !== null) response.writeHead(status).end();
    };
  }

  static async start(behaviour: Behaviour, stack: StackInfo, app: BuiltApp, tools: Tools) {
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
    return new Receiver(behaviour, webhook, server, tools);
  }

  /** null: no response */
  #statusFor(event: string): number | null {
    const attempt = (this.#attempts.get(event) ?? 0) + 1;
    this.#attempts.set(event, attempt);
    if (this.behaviour === "gone") return 410;
    if (this.behaviour === "flaky") return this.#choose("flaky", event, attempt) < 0.5 ? 500 : 204;
    if (this.behaviour === "hanging" && this.#requests <= HANGING_ATTEMPTS) return null;
    return 204;
  }

  comeBack = () => this.#server.restart();

  stop = () => this.#server.stop();
}

/** Records the events of all receivers, in the order of each file. */
async function record(url: string, receivers: Receiver[]): Promise<void> {
  const database = createDatabase({ url, poolSize: 2 });
  const events = new Events(database);
  try {
    for (let index = 0; index < Math.max(...Object.values(RECEIVERS)); index++) {
      const recorded = receivers.map(({ behaviour, companyId, events: names }) => {
        if (index >= RECEIVERS[behaviour]) return undefined;
        const [file, place] = [`${Math.floor(index / EVENTS_OF_A_FILE)}.pdf`, index % EVENTS_OF_A_FILE];
        const id = newEventId();
        names.set(id, `${file} ${place}`);
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

/** The receivers whose webhook the app has switched off. */
async function findSwitchedOff(url: string, receivers: Receiver[]): Promise<Behaviour[]> {
  const statement = "SELECT id FROM webhook_endpoints WHERE disabled_at IS NOT NULL";
  const ids = (await query<{ id: string }>(url, statement)).map(({ id }) => id);
  return receivers.filter(({ webhookId }) => ids.includes(webhookId)).map(({ behaviour }) => behaviour);
}

/** Makes due what waits for more than a minute. Attempts that run, or were cut off, end within a minute. */
async function skipPauses(url: string): Promise<void> {
  await query(
    url,
    `UPDATE webhook_deliveries SET next_attempt_at = now() AT TIME ZONE 'UTC'
      WHERE status = 'pending' AND next_attempt_at > now() AT TIME ZONE 'UTC' + interval '61 seconds'`,
  );
}
