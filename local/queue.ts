/**
 * The local queue: takes what is published as QStash takes it, and delivers it to the webhook, signed, with retries. It
 * keeps messages until it stops.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { arrayBuffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { type LocalServer, listen } from "./listen";
import { signDelivery } from "./queue-signature";

export interface QueueOptions {
  port: number;
  /** what may publish */
  token: string;
  /** what deliveries are signed with */
  signingKey: string;
  /** seconds before each further attempt, where the webhook does not say; as many attempts as there are, and one */
  pauses?: number[];
  /** deliveries at a time */
  concurrency?: number;
  log?: (text: string) => void;
}

interface Message {
  id: string;
  destination: string;
  body: Uint8Array<ArrayBuffer>;
}

const PAUSES = [1, 2, 5, 15, 60, 60];

export async function startLocalQueue(options: QueueOptions): Promise<LocalServer> {
  const { port, token, concurrency = 10 } = options;
  const closing = new AbortController();
  const known = new Map<string, string>();
  const waiting: Message[] = [];
  let running = 0;

  const next = () => {
    if (running >= concurrency || closing.signal.aborted) return;
    const message = waiting.shift();
    if (message === undefined) return;
    running++;
    // A message that waits for its next attempt makes room for others.
    deliver(message, options, closing.signal, () => {
      running--;
      next();
    }).catch(() => {});
    next();
  };

  const server = createServer(async (request, response) => {
    const respond = (status: number, body: object) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const destination = /^\/v2\/publish\/(https?:\/\/.+)$/.exec(request.url ?? "")?.[1];
    const body = new Uint8Array(await arrayBuffer(request));
    if (request.headers.authorization !== `Bearer ${token}`)
      return respond(401, { error: "The token is wrong." });
    if (request.method !== "POST" || !destination)
      return respond(404, { error: "POST /v2/publish/{url} is all there is." });
    const deduplicationId = request.headers["upstash-deduplication-id"];
    const id = `msg_${randomUUID()}`;
    if (typeof deduplicationId === "string") {
      const first = known.get(deduplicationId);
      if (first !== undefined) return respond(202, { messageId: first, deduplicated: true });
      known.set(deduplicationId, id);
    }
    waiting.push({ id, destination, body });
    next();
    respond(201, { messageId: id });
  });
  const { endpoint, close } = await listen(server, port);
  return {
    endpoint,
    close() {
      closing.abort();
      return close();
    },
  };
}

/** @param leave called once, when the message needs its place no longer */
async function deliver(
  message: Message,
  { signingKey, pauses = PAUSES, log = () => {} }: QueueOptions,
  closing: AbortSignal,
  leave: () => void,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const response = await post(message, attempt, signingKey, closing).catch(() => undefined);
    if (attempt === 0) leave();
    closing.throwIfAborted();
    if (response?.ok) return;
    const outcome = response ? `was answered with ${response.status}` : "could not be delivered";
    const isPermanent =
      response?.status === 489 && response.headers.get("Upstash-NonRetryable-Error") === "true";
    const asked = Number(response?.headers.get("Retry-After")) || 0;
    const planned = pauses[attempt];
    if (isPermanent || planned === undefined) {
      log(`Queue: ${message.id} ${outcome} and is given up: ${(await response?.text()) ?? ""}\n`);
      return;
    }
    const wait = Math.max(asked, planned);
    log(`Queue: ${message.id} ${outcome}; again in ${wait} s.\n`);
    await pause(wait * 1000, undefined, { signal: closing, ref: false });
  }
}

async function post(
  { id, destination, body }: Message,
  attempt: number,
  signingKey: string,
  closing: AbortSignal,
): Promise<Response> {
  return fetch(destination, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "Upstash-Signature": await signDelivery(body, destination, signingKey),
      "Upstash-Message-Id": id,
      "Upstash-Retried": String(attempt),
    },
    body,
    signal: AbortSignal.any([closing, AbortSignal.timeout(60_000)]),
  });
}
