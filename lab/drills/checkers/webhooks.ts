import { MAX_BLOCKING_FAILURES } from "../../../app/webhooks/webhooks.sql.server";
import type { History, Verdict } from "../drill";
import { failure, unless } from "./failure";

/** How a receiver behaves. */
export type Behaviour = "steady" | "flaky" | "away" | "hanging" | "gone";

export type WebhookOperation =
  | {
      what: "received";
      by: Behaviour;
      /** the file's name and the event's place among those of the file, such as `7.pdf 2`; "unknown" for another event */
      event: string;
      /** a hash of the body */
      body: string;
      /** the response; null: none */
      status: number | null;
    }
  | { what: "sender killed" | "receiver is back" };

export interface WebhooksFound {
  /** the numbers of events recorded for each receiver */
  events: Record<Behaviour, number>;
  eventsOfAFile: number;
  /** deliveries that are still pending, of webhooks that are not switched off */
  pending: number;
  /** receivers whose webhook the app has switched off */
  switchedOff: Behaviour[];
  replayed: number;
  seconds: number;
  wantedKills: number;
  /** how many requests to one receiver a process runs at most */
  maxRunning: number;
}

interface Seen {
  failed: number;
  accepted: number;
  bodies: Set<string>;
}

/**
 * Every event arrives at every receiver that can get it, each time with the same body. It arrives again only if a kill cut off its request.
 * It arrives before an earlier event of its file only if that one has failed five times (docs/decisions/0114). Only the webhook whose
 * receiver is gone is switched off.
 */
export function checkWebhooks({ operations, found }: History<WebhookOperation, WebhooksFound>): Verdict {
  const kills = operations.filter(({ what }) => what === "sender killed").length;
  const receivers = (Object.keys(found.events) as Behaviour[]).map((by) =>
    judgeReceiver(by, operations, found, kills * found.maxRunning),
  );
  return {
    figures: `${receivers.map(({ figures }) => figures).join(", ")}; ${found.replayed} replayed after ten attempts; ${found.seconds} s`,
    failures: [
      ...unless(
        kills >= found.wantedKills,
        `the senders were killed ${kills} times instead of ${found.wantedKills}`,
      ),
      ...unless(found.pending === 0, `${found.pending} are still pending`),
      ...unless(
        found.switchedOff.join() === "gone",
        `the webhooks switched off are: ${found.switchedOff.join(", ") || "none"}`,
      ),
      ...receivers.flatMap(({ failures }) => failures),
    ],
  };
}

function judgeReceiver(
  by: Behaviour,
  operations: readonly WebhookOperation[],
  { events, eventsOfAFile }: WebhooksFound,
  maxDoubled: number,
): Verdict {
  const names = Array.from(
    { length: events[by] },
    (_, index) => `${Math.floor(index / eventsOfAFile)}.pdf ${index % eventsOfAFile}`,
  );
  const all = new Map<string, Seen>(
    names.map((name) => [name, { failed: 0, accepted: 0, bodies: new Set<string>() }]),
  );
  const [early, unknown]: [string[], string[]] = [[], []];
  let requests = 0;
  for (const operation of operations) {
    if (operation.what !== "received" || operation.by !== by) continue;
    requests += 1;
    const seen = all.get(operation.event);
    if (seen === undefined) {
      unknown.push(operation.event);
      continue;
    }
    seen.bodies.add(operation.body);
    if (operation.status !== 204) {
      seen.failed += 1;
      continue;
    }
    seen.accepted += 1;
    if (seen.accepted === 1 && earlierOf(operation.event).some((name) => blocks(all.get(name))))
      early.push(operation.event);
  }
  const namesWhere = (test: (seen: Seen) => boolean) =>
    [...all].filter(([, seen]) => test(seen)).map(([name]) => name);
  const missing = namesWhere(({ accepted }) => accepted === 0);
  const doubled = [...all.values()].reduce((sum, { accepted }) => sum + Math.max(0, accepted - 1), 0);
  return {
    figures: `${by} ${all.size - missing.length} of ${all.size} (${requests} requests, ${doubled} doubled)`,
    failures: [
      ...failure(by === "gone" ? [] : missing, `did not arrive at the receiver that is ${by}`),
      ...unless(
        doubled <= maxDoubled,
        `${doubled} arrived again at the receiver that is ${by}; kills explain at most ${maxDoubled}`,
      ),
      ...failure(unknown, `are not of the receiver that is ${by}`),
      ...failure(
        namesWhere(({ bodies }) => bodies.size > 1),
        `were repeated with another body to the receiver that is ${by}`,
      ),
      ...failure(early, `arrived too early at the receiver that is ${by}`),
    ],
  };
}

/** The events of the same file before this one. */
function earlierOf(event: string): string[] {
  const [file, place] = event.split(" ");
  return Array.from({ length: Number(place) }, (_, index) => `${file} ${index}`);
}

/** Whether later events of the file have to wait for this one. */
const blocks = (seen: Seen | undefined) =>
  seen !== undefined && seen.accepted === 0 && seen.failed < MAX_BLOCKING_FAILURES;
