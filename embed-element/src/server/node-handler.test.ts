import { createServer, type IncomingMessage, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterEach, expect, test } from "vitest";
import recorded from "../../../tests/support/backends/recorded-webhook.json" with { type: "json" };
import type { EmbedHandler } from "./embed-handler.js";
import { toNodeHandler } from "./node-handler.js";
import { createWebhookHandler } from "./webhook-handler.js";

let server: Server;
afterEach(() => server.close());

/** A server that hands everything to `handler`, after `before` has had the request. */
async function serve(
  handler: EmbedHandler<IncomingMessage>,
  before: (request: IncomingMessage & { body?: unknown }) => Promise<unknown> = async () => {},
): Promise<string> {
  const handle = toNodeHandler(handler);
  server = createServer(async (request, response) => {
    await before(request);
    await handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const echo: EmbedHandler<IncomingMessage> = async (request, incoming) =>
  Response.json(
    {
      method: request.method,
      path: new URL(request.url).pathname,
      origin: request.headers.get("Origin"),
      host: request.headers.get("Host"),
      body: await request.text(),
      isTheirs: incoming?.socket !== undefined,
    },
    { status: 201, headers: { "X-Made-By": "us" } },
  );

test("hands the request over, and the response back", async () => {
  const address = await serve(echo);
  const response = await fetch(`${address}/embed-url?x=1`, {
    method: "POST",
    headers: { Origin: "https://portal.example" },
    body: '{"service":"files","name":"Žofie"}',
  });
  expect([response.status, response.headers.get("X-Made-By")]).toEqual([201, "us"]);
  expect(await response.json()).toEqual({
    method: "POST",
    path: "/embed-url",
    origin: "https://portal.example",
    host: new URL(address).host,
    body: '{"service":"files","name":"Žofie"}',
    isTheirs: true,
  });
});

test("takes what a body parser has read already", async () => {
  const address = await serve(echo, async (request) => {
    request.body = JSON.parse(await text(request));
  });
  const parsed = await fetch(address, { method: "POST", body: '{ "service": "files" }' });
  expect(await parsed.json()).toMatchObject({ body: '{"service":"files"}' });
  server.close();
  const raw = await serve(echo, async (request) => {
    request.body = Buffer.from(await text(request));
  });
  const bytes = await fetch(raw, { method: "POST", body: '{ "name": "Žofie" }' });
  expect(await bytes.json()).toMatchObject({ body: '{ "name": "Žofie" }' });
  server.close();
  const swallowed = await serve(echo, text);
  const response = await fetch(swallowed, { method: "POST", body: "{}" });
  expect(await response.json()).toMatchObject({ body: "" });
});

test("takes a webhook that a parser has read, as express.json() does", async () => {
  const { headers, body } = recorded;
  const now = new Date();
  const signature = new Webhook(recorded.secret).sign(headers["webhook-id"], now, body);
  const got: unknown[] = [];
  const handler = createWebhookHandler({ secret: recorded.secret, onEvent: (event) => got.push(event) });
  const address = await serve(handler, async (request) => {
    request.body = JSON.parse(await text(request));
  });
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signed = { ...headers, "webhook-timestamp": timestamp, "webhook-signature": signature };
  const response = await fetch(address, { method: "POST", headers: signed, body });
  expect(response.status).toBe(204);
  expect(got).toEqual([JSON.parse(body)]);
});

test("answers GET, which has no body", async () => {
  const response = await fetch(await serve(echo));
  expect(await response.json()).toMatchObject({ method: "GET", body: "" });
});

test("reads no more than it needs", async () => {
  let called = false;
  const address = await serve(async () => {
    called = true;
    return new Response();
  });
  const response = await fetch(address, { method: "POST", body: "x".repeat(200_000) });
  expect(response.status).toBe(400);
  expect(called).toBe(false);
});

test("tells the handler when the visitor has gone, and survives it", async () => {
  let gone: () => void;
  const isGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const address = await serve(
    (request) =>
      new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => {
          gone();
          reject(new Error("gone"));
        });
        visitor.destroy();
      }),
  );
  const visitor = send(address, { method: "POST" });
  visitor.on("error", () => {});
  visitor.end("{}");
  await isGone;
});
