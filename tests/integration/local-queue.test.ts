/** The local queue: retries, dead letters and its page. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, inject, it, vi } from "vitest";
import { closeAfterTest, QUEUE_TOKEN, startQueue } from "../support/email/test-queue";

const stack = inject("stack");
const someJob = {
  recipient: { email: "ada@example.com" },
  campaignId: crypto.randomUUID(),
  site: { subject: "Spring" },
  branding: { siteName: "Northwind" },
};

it("the queue retries a delivery until it succeeds, and gives up after a permanent refusal", async () => {
  const statuses = [503, 500, 200];
  const retried: unknown[] = [];
  const webhook = createServer((request, response) => {
    retried.push(request.headers["upstash-retried"]);
    request.resume();
    response.writeHead(statuses.shift() ?? 200).end();
  });
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  closeAfterTest(() => webhook.close());
  const queue = await startQueue();
  const publish = (destination: string, body: string) =>
    fetch(`${queue.endpoint}/v2/publish/${destination}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${QUEUE_TOKEN}`, "Content-Type": "application/json" },
      body,
    });
  await publish(`http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`, "{}");
  await vi.waitFor(() => expect(retried).toEqual(["0", "1", "2"]), { timeout: 10_000 });

  await publish(`${stack.apiBaseUrl}/api/queue/send-email`, '{"campaignId":"x"}');
  await vi.waitFor(() => expect(queue.log.at(-1)).toMatch(/got a 489 and is given up/), {
    timeout: 10_000,
  });

  const impostor = await startQueue("sig_wrong");
  await fetch(`${impostor.endpoint}/v2/publish/${stack.apiBaseUrl}/api/queue/send-email`, {
    method: "POST",
    headers: { Authorization: `Bearer ${QUEUE_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify(someJob),
  });
  await vi.waitFor(() => expect(impostor.log.at(-1)).toMatch(/got a 401 and is given up/), {
    timeout: 10_000,
  });
});

it("the local queue's page shows dead letters and delivers them again", async () => {
  let status = 500;
  const webhook = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end("<b>out of order</b>");
  });
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  closeAfterTest(() => webhook.close());
  const queue = await startQueue();
  const headers = { Authorization: `Bearer ${QUEUE_TOKEN}` };
  const destination = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  const published = await fetch(`${queue.endpoint}/v2/batch`, {
    method: "POST",
    headers,
    body: JSON.stringify([
      { destination, body: "{}", headers: { "Upstash-Retries": "1" } },
      { destination, body: "{}", headers: { "Upstash-Flow-Control-Key": "a key", "Upstash-Retries": "1" } },
    ]),
  });
  expect(await published.json()).toEqual([
    { messageId: expect.stringMatching(/^msg_/) },
    { error: "invalid flow control" },
  ]);
  const page = async () => (await fetch(queue.endpoint)).text();
  await vi.waitFor(async () => expect(await page()).toMatch("Response 500 after 2 attempts"), {
    timeout: 10_000,
  });
  expect(await page()).not.toMatch("<b>");
  const action = /action="([^"]+)"/.exec(await page())?.[1];

  status = 200;
  const again = (site: string) =>
    fetch(`${queue.endpoint}${action}`, {
      method: "POST",
      headers: { "Sec-Fetch-Site": site },
      redirect: "manual",
    });
  expect((await again("cross-site")).status).toBe(403);
  expect((await again("same-origin")).status).toBe(303);
  await vi.waitFor(async () => expect(await page()).toMatch("<dt>Delivered</dt><dd>1</dd>"), {
    timeout: 10_000,
  });
  expect(await page()).toMatch("<dt>Given up</dt><dd>0</dd>");
});

it("the queue goes on after a caller that leaves before the end of its request", async () => {
  const queue = await startQueue();
  const { hostname, port } = new URL(queue.endpoint);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write("POST /v2/batch HTTP/1.1\r\nHost: queue\r\nContent-Length: 9\r\n\r\n[");
  // The queue has read the beginning once it responds on another connection.
  await fetch(queue.endpoint);
  socket.destroy();
  await once(socket, "close");
  // Vitest fails if a promise is rejected that nothing handles.
  expect((await fetch(queue.endpoint)).status).toBe(200);
});
