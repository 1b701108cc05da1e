import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterEach, expect, it } from "vitest";
import { type ReceivedWebhook, WebhookReceiver } from "../../tests/support/integrator/webhook-receiver";
import { lookupPublic } from "./public-address.server";
import { sendWebhook } from "./send-webhook.server";
import { newWebhookSecret } from "./webhook-secret.server";

const receivers: WebhookReceiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.stop())));

async function receive(respond: WebhookReceiver["respond"]): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start(respond);
  receivers.push(receiver);
  return receiver;
}

const local = { allowPrivate: true, timeoutMs: 5_000 };
const secret = newWebhookSecret();
const payload = { type: "file.uploaded", subject: { bucket: "b", key: "ärger/💥.txt" } };
const messageTo = (url: string, secrets = [secret]) => ({ url, secrets, id: "0199-id", payload });

it("signs so that receivers with the libraries of Standard Webhooks and of Svix accept it", async () => {
  const { url, got } = await receive((response) => response.writeHead(204).end());
  expect(await sendWebhook(messageTo(url), local)).toEqual({ status: 204, error: null });
  const [{ headers, body, path }] = got as [ReceivedWebhook];
  expect(path).toBe("/hooks?customer=1");
  expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "0199-id" });
  expect(new Webhook(secret).verify(body, headers)).toEqual(payload);
  expect(new SvixWebhook(secret).verify(body, headers)).toEqual(payload);
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow(/No matching signature/);
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/No matching signature/);
  expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "other" })).toThrow();
});

it("signs with both secrets while one is being changed", async () => {
  const { url, got } = await receive((response) => response.end());
  const previous = newWebhookSecret();
  await sendWebhook(messageTo(url, [secret, previous]), local);
  const [{ headers, body }] = got as [ReceivedWebhook];
  for (const one of [secret, previous]) expect(new Webhook(one).verify(body, headers)).toEqual(payload);
});

it("does not follow redirects", async () => {
  const elsewhere = await receive((response) => response.end());
  const { url } = await receive((response) => response.writeHead(307, { Location: elsewhere.url }).end());
  expect(await sendWebhook(messageTo(url), local)).toEqual({
    status: 307,
    error: "The response had the status 307.",
  });
  expect(elsewhere.got).toEqual([]);
});

it("takes a change of the protocol for a failure", async () => {
  const { url } = await receive((response) =>
    response.writeHead(101, { Connection: "Upgrade", Upgrade: "other" }).end(),
  );
  expect(await sendWebhook(messageTo(url), local)).toMatchObject({
    status: null,
    error: expect.stringContaining("changed the protocol"),
  });
});

it("takes a scheme in capitals", async () => {
  const { url } = await receive((response) => response.end());
  expect(await sendWebhook(messageTo(url.replace("http", "HTTP")), local)).toMatchObject({ status: 200 });
});

it("waits for a response for so long, and no longer", async () => {
  const { url } = await receive(() => {});
  expect(await sendWebhook(messageTo(url), { ...local, timeoutMs: 100 })).toEqual({
    status: null,
    error: "There was no response within 0.1 seconds.",
  });
});

it("reads only the beginning of a body, and does not wait for its end", async () => {
  const huge = await receive((response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) {}
    };
    response.on("drain", more);
    more();
  });
  expect(await sendWebhook(messageTo(huge.url), local)).toEqual({ status: 200, error: null });
  const slow = await receive((response) => response.writeHead(500).write("a"));
  expect(await sendWebhook(messageTo(slow.url), { ...local, timeoutMs: 200 })).toMatchObject({ status: 500 });
});

it("says that nobody listens, or that the connection breaks", async () => {
  const { url } = await receive((_, request) => request.socket.destroy());
  expect(await sendWebhook(messageTo(url), local)).toEqual({
    status: null,
    error: "The connection failed: ECONNRESET.",
  });
  expect(await sendWebhook(messageTo("http://127.0.0.1:1/"), local)).toEqual({
    status: null,
    error: "The connection failed: ECONNREFUSED.",
  });
});

it("connects to no private address, neither named by the URL nor by the name server", async () => {
  const { url, got } = await receive((response) => response.end());
  const { port } = new URL(url);
  const strict = { allowPrivate: false };
  expect(await sendWebhook(messageTo(url), strict)).toMatchObject({
    error: "The URL must begin with https://.",
  });
  expect(await sendWebhook(messageTo(`https://127.0.0.1:${port}/`), strict)).toMatchObject({
    error: "The URL must lead to a public address.",
  });
  let asked = 0;
  const lookup = lookupPublic((_name, _options, callback) => {
    asked++;
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  });
  const named = messageTo(`https://example.com:${port}/`);
  expect(await sendWebhook(named, { ...strict, lookup })).toEqual({
    status: null,
    error: "The host name leads to an address that is not public.",
  });
  expect(asked).toBe(1);
  expect(got).toEqual([]);
});
