/**
 * A queue for development and tests. It has the API of QStash for publishing, and delivers messages like QStash: signed, with flow
 * control and retries. Messages are kept in memory, and a page shows them.
 */
import { createServer, type IncomingMessage } from "node:http";
import { arrayBuffer } from "node:stream/consumers";
import { type LocalServer, listen } from "../listen";
import { refuseOtherSites } from "../refuse-other-sites";
import { parseFlowLimits } from "./flow";
import { type DeliveryOptions, Messages, type NewMessage } from "./messages";
import { renderPage } from "./page";

export interface QueueOptions extends Partial<DeliveryOptions> {
  port: number;
  /** required for publishing */
  token: string;
  signingKey: string;
}

const RETRY_SECONDS = [1, 2, 5, 15, 60, 60];

type Headers = Record<string, string | undefined>;
interface QueueResponse {
  status: number;
  headers: Record<string, string>;
  body?: string;
}

export async function startLocalQueue(options: QueueOptions): Promise<LocalServer> {
  const { port, token, signingKey, retrySeconds = RETRY_SECONDS, retries = retrySeconds.length } = options;
  const { concurrency = 10, log = () => {} } = options;
  const messages = new Messages({ signingKey, retrySeconds, retries, concurrency, log });

  const server = createServer((request, response) => {
    handle(request, messages, token)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      // The caller has gone before the end of its request, or the queue has a defect.
      .catch((error: unknown) => {
        if (!request.destroyed) console.error("The local queue failed.", error);
        request.socket.destroy();
      });
  });
  refuseOtherSites(server);
  const { endpoint, close } = await listen(server, port);
  return {
    endpoint,
    close() {
      messages.close();
      return close();
    },
  };
}

async function handle(request: IncomingMessage, messages: Messages, token: string): Promise<QueueResponse> {
  const { method, url = "/", headers } = request;
  const body = new Uint8Array(await arrayBuffer(request));
  if (url === "/" && method === "GET") {
    return {
      status: 200,
      headers: { "Content-Type": "text/html; charset=utf-8" },
      body: renderPage(messages),
    };
  }
  const deadLetter = /^\/dead-letters\/([^/]+)\/deliver$/.exec(url)?.[1];
  if (deadLetter && method === "POST") {
    messages.redeliver(deadLetter);
    return { status: 303, headers: { Location: "/" } };
  }
  if (headers.authorization !== `Bearer ${token}`) return failed(401, "The token is invalid.");

  const destination = /^\/v2\/publish\/(https?:\/\/.+)$/.exec(url)?.[1];
  if (method === "POST" && destination) {
    const published = publish(messages, destination, body, headers as Headers);
    if ("error" in published) return json(400, published);
    return json("deduplicated" in published ? 202 : 201, published);
  }
  if (method === "POST" && url === "/v2/batch") return publishBatch(messages, body);
  const { pathname, searchParams } = new URL(url, "http://queue");
  if (method === "GET" && pathname === "/v2/dlq") return listDeadLetters(messages, searchParams);
  if (method === "DELETE" && pathname === "/v2/messages") return cancelMessages(messages, searchParams);
  return failed(
    404,
    "This queue only has POST /v2/publish/{url}, POST /v2/batch, DELETE /v2/messages and GET /v2/dlq.",
  );
}

function json(status: number, body: object): QueueResponse {
  return { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

const failed = (status: number, error: string) => json(status, { error });

/** QStash API, "List DLQ messages". Of its filters it has `url`. */
function listDeadLetters(messages: Messages, query: URLSearchParams): QueueResponse {
  const count = Math.min(Number(query.get("count") ?? 100), 100);
  const start = Number(query.get("cursor") ?? 0);
  if (!(count >= 1) || !(start >= 0)) return failed(400, "invalid count or cursor");
  const all = [...messages.deadLetters.values()].filter(
    ({ destination }) => !query.has("url") || destination === query.get("url"),
  );
  if (query.get("order") === "latestFirst") all.reverse();
  const page = all
    .slice(start, start + count)
    .map(({ id, destination, body, retries, at, status, responseText }) => ({
      messageId: id,
      dlqId: id,
      url: destination,
      method: "POST",
      body: Buffer.from(body).toString(),
      maxRetries: retries,
      createdAt: Date.parse(at),
      responseStatus: status ?? undefined,
      responseBody: responseText || undefined,
    }));
  const end = start + page.length;
  return json(200, { messages: page, ...(end < all.length && { cursor: String(end) }) });
}

/** QStash API, "Bulk cancel messages". Of its filters it has `label` and `url`. */
function cancelMessages(messages: Messages, query: URLSearchParams): QueueResponse {
  const [label, url] = [query.get("label"), query.get("url")];
  const count = Number(query.get("count") ?? Number.POSITIVE_INFINITY);
  if (!(count >= 1)) return failed(400, "invalid count");
  const cancelled = messages.cancel(
    (message) => (label === null || message.label === label) && (url === null || message.destination === url),
    count,
  );
  return json(200, { cancelled });
}

/** QStash API, "Batch messages": each message has its own result. */
function publishBatch(messages: Messages, body: Uint8Array): QueueResponse {
  let batch: unknown;
  try {
    batch = JSON.parse(Buffer.from(body).toString());
  } catch {}
  if (!Array.isArray(batch)) return failed(400, "A batch must be an array of messages.");
  const results = batch.map(({ destination, body: text = "", headers = {} }) => {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return publish(messages, String(destination), new TextEncoder().encode(text), Object.fromEntries(lower));
  });
  return json(200, results);
}

function publish(
  messages: Messages,
  destination: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Headers,
): ReturnType<Messages["add"]> | { error: string } {
  if (!URL.canParse(destination)) return { error: "invalid destination url" };
  const message: NewMessage = {
    destination,
    body,
    deduplicationId: headers["upstash-deduplication-id"],
    label: headers["upstash-label"],
  };
  const retries = headers["upstash-retries"];
  if (retries !== undefined) {
    if (!/^\d+$/.test(retries)) return { error: "invalid number of retries" };
    message.retries = Number(retries);
  }
  const key = headers["upstash-flow-control-key"];
  if (key !== undefined) {
    const limits = parseFlowLimits(headers["upstash-flow-control-value"] ?? "");
    if (!limits || !/^[\w.-]+$/.test(key)) return { error: "invalid flow control" };
    message.flow = { key, limits };
  }
  return messages.add(message);
}
