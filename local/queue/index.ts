/**
 * The local queue: takes what is published as QStash takes it, and delivers it to the webhook, signed, at the pace and with the attempts
 * that were asked for. It keeps messages until it stops, and shows them on a page.
 */
import { createServer, type IncomingMessage } from "node:http";
import { arrayBuffer } from "node:stream/consumers";
import { type LocalServer, listen } from "../listen";
import { parseFlowLimits } from "./flow";
import { type DeadLetter, type DeliveryOptions, Messages, type NewMessage } from "./messages";
import { renderPage } from "./page";

export interface QueueOptions extends Partial<DeliveryOptions> {
  port: number;
  /** what may publish */
  token: string;
  signingKey: string;
}

const PAUSES = [1, 2, 5, 15, 60, 60];

type Headers = Record<string, string | undefined>;
type Answer = { status: number; body: object } | { status: 200; html: string } | { status: 303; to: string };

export async function startLocalQueue(options: QueueOptions): Promise<LocalServer> {
  const { port, token, signingKey, pauses = PAUSES, retries = pauses.length } = options;
  const { concurrency = 10, log = () => {} } = options;
  const messages = new Messages({ signingKey, pauses, retries, concurrency, log });

  const server = createServer(async (request, response) => {
    const answer = await respond(request, messages, token);
    if ("html" in answer) {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(answer.html);
    } else if ("to" in answer) response.writeHead(303, { Location: answer.to }).end();
    else {
      response.writeHead(answer.status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer.body));
    }
  });
  const { endpoint, close } = await listen(server, port);
  return {
    endpoint,
    close() {
      messages.close();
      return close();
    },
  };
}

async function respond(request: IncomingMessage, messages: Messages, token: string): Promise<Answer> {
  const { method, url = "/", headers } = request;
  const body = new Uint8Array(await arrayBuffer(request));
  if (url === "/" && method === "GET") return { status: 200, html: renderPage(messages) };
  const again = /^\/dead-letters\/([^/]+)\/deliver$/.exec(url)?.[1];
  // Only its own page: another one that is open in the same browser must not press its buttons.
  if (again && method === "POST" && headers["sec-fetch-site"] === "same-origin") {
    messages.revive(again);
    return { status: 303, to: "/" };
  }
  if (headers.authorization !== `Bearer ${token}`) return failed(401, "The token is wrong.");

  const destination = /^\/v2\/publish\/(https?:\/\/.+)$/.exec(url)?.[1];
  if (method === "POST" && destination) {
    const published = publish(messages, destination, body, headers as Headers);
    if ("error" in published) return { status: 400, body: published };
    return { status: "deduplicated" in published ? 202 : 201, body: published };
  }
  if (method === "POST" && url === "/v2/batch") return publishBatch(messages, body);
  if (method === "GET" && url === "/v2/dlq")
    return { status: 200, body: { messages: [...messages.deadLetters.values()].map(asInDlq) } };
  return failed(404, "POST /v2/publish/{url}, POST /v2/batch and GET /v2/dlq are all there is.");
}

const failed = (status: number, error: string): Answer => ({ status, body: { error } });

/** QStash API, "Batch messages": each message succeeds or fails by itself. */
function publishBatch(messages: Messages, body: Uint8Array): Answer {
  let batch: unknown;
  try {
    batch = JSON.parse(Buffer.from(body).toString());
  } catch {}
  if (!Array.isArray(batch)) return failed(400, "A batch is an array of messages.");
  return {
    status: 200,
    body: batch.map(({ destination, body: text = "", headers = {} }) => {
      const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
      return publish(
        messages,
        String(destination),
        new TextEncoder().encode(text),
        Object.fromEntries(lower),
      );
    }),
  };
}

function publish(
  messages: Messages,
  destination: string,
  body: Uint8Array<ArrayBuffer>,
  headers: Headers,
): ReturnType<Messages["add"]> | { error: string } {
  if (!URL.canParse(destination)) return { error: "invalid destination url" };
  const message: NewMessage = { destination, body, deduplicationId: headers["upstash-deduplication-id"] };
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

function asInDlq({ id, destination, body, attempts, status, answer, at }: DeadLetter) {
  return {
    dlqId: id,
    messageId: id,
    url: destination,
    body: Buffer.from(body).toString(),
    maxRetries: attempts - 1,
    responseStatus: status,
    responseBody: answer,
    createdAt: Date.parse(at),
  };
}
