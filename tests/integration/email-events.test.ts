/** What becomes of an e-mail: bounces and complaints from Amazon SNS suppress addresses, and everything is recorded. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { findSuppressed } from "../../app/email/suppressions.server";
import { standardError, standardOutput } from "../../app/shared/log.server";
import { signDelivery } from "../../local/queue/signature";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { jobFor } from "../support/email/campaign";
import { type Ses, startSes } from "../support/email/ses";
import { AMAZON, type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
let amazon: SnsAtTheWire;
let ses: Ses;
let wire: Wire;
let url: string;
let app: RouteApp;

beforeAll(async () => {
  amazon = await startSns();
  ses = await startSes();
  url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = createRouteApp(stack, {
    POSTGRES_URL: wire.over(url),
    CLOUD_SES_ENDPOINT: ses.endpoint,
    EMAIL_EVENTS_TOPICS: `arn:aws:sns:us-east-1:123456789012:other, ${TOPIC}`,
  });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
  await ses?.close();
  await amazon?.close();
});
beforeEach(() => query(url, "TRUNCATE email_suppressions, events"));

const post = async (body: string, headers: Record<string, string> = {}, to: RouteApp = app) => {
  const response = await to.fetch(`${app.apiBaseUrl}/api/email/events`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=UTF-8", ...headers },
    body,
  });
  return { status: response.status, ...(await response.json()) };
};
const bounced = (address: string, eventType = "Bounce") =>
  JSON.stringify({
    eventType,
    bounce: { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: address }] },
    complaint: { complainedRecipients: [{ emailAddress: address }] },
  });
const isSuppressed = async (address: string) => (await findSuppressed(app.database, [address])).size > 0;

describe("POST /api/email/events", () => {
  it("suppresses addresses that bounced or complained once, also for repeated messages", async () => {
    const message = amazon.message({ Message: bounced("Ada@Example.com"), SignatureVersion: "2" });
    expect(await post(message)).toEqual({ status: 200, success: true, suppressed: 1 });
    const again = await Promise.all([1, 2, 3].map(() => post(message)));
    expect(again).toEqual(Array(3).fill({ status: 200, success: true, suppressed: 0 }));
    expect(await post(amazon.message({ Message: bounced("ada@example.com", "Complaint") }))).toMatchObject({
      suppressed: 1,
    });
    expect(await query(url, "SELECT address, site, reason FROM email_suppressions ORDER BY reason")).toEqual([
      { address: "ada@example.com", site: "", reason: "bounce" },
      { address: "ada@example.com", site: "", reason: "complaint" },
    ]);
    expect(await post(amazon.message({ Message: "Successfully validated SNS topic." }))).toMatchObject({
      status: 200,
      suppressed: 0,
    });
  });

  it("confirms a subscription of its own topic only, and only at Amazon", async () => {
    amazon.serve("/", (response) => response.end("<ConfirmSubscriptionResponse/>"));
    const subscription = {
      Type: "SubscriptionConfirmation",
      Token: "token",
      SubscribeURL: `${AMAZON}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=token`,
    };
    expect(await post(amazon.message(subscription))).toEqual({ status: 200, success: true, suppressed: 0 });
    expect(amazon.asked.at(-1)).toBe(`/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=token`);
    const asked = amazon.asked.length;
    for (const SubscribeURL of [
      "https://evil.example/",
      `http://${new URL(AMAZON).host}/`,
      "https://sns.eu-west-1.amazonaws.com.evil.com/",
    ]) {
      expect(await post(amazon.message({ ...subscription, SubscribeURL }))).toMatchObject({
        status: 400,
        issues: [{ path: "SubscribeURL", message: expect.any(String) }],
      });
    }
    expect(await post(amazon.message({ ...subscription, TopicArn: `${TOPIC}2` }))).toMatchObject({
      status: 401,
    });
    expect(amazon.asked).toHaveLength(asked);
    amazon.serve("/", (response) => response.writeHead(403).end());
    expect(await post(amazon.message(subscription))).toMatchObject({ status: 502 });
    amazon.serve("/", (response) => response.destroy());
    expect(await post(amazon.message(subscription))).toMatchObject({ status: 503 });
    expect(await post(amazon.message({ ...subscription, Type: "UnsubscribeConfirmation" }))).toMatchObject({
      status: 200,
    });
  });

  it("lets Amazon redeliver messages that could not be recorded", async () => {
    const message = amazon.message({ Message: bounced("late@example.com") });
    await wire.cut();
    expect(await post(message)).toMatchObject({ status: 503, code: "unavailable" });
    await wire.restore();
    expect(await post(message)).toMatchObject({ status: 200, suppressed: 1 });
    expect(await isSuppressed("late@example.com")).toBe(true);
  });

  it("refuses forged, raw, malformed and oversized messages, and records nothing", async () => {
    const message = amazon.message({ Message: bounced("ada@example.com") });
    const forged = amazon.message({}, { Message: bounced("ada@example.com") });
    expect(await post(forged)).toMatchObject({ status: 401, code: "invalid_signature" });
    expect(await post(bounced("ada@example.com"), { "x-amz-sns-rawdelivery": "true" })).toMatchObject({
      status: 400,
      issues: [{ message: expect.stringContaining("raw") }],
    });
    for (const body of [
      "",
      "hello",
      "null",
      "[]",
      "{}",
      '{"Type":"Notification"}',
      bounced("ada@example.com"),
    ])
      expect(await post(body), body).toMatchObject({ status: 400, code: "invalid_request" });
    expect(await post(`[${"[],".repeat(30_000)}[]]`)).toMatchObject({ status: 400 });
    expect(await post(message.replace("{", `{"x":"${"a".repeat(600_000)}",`))).toMatchObject({ status: 413 });
    expect(await isSuppressed("ada@example.com")).toBe(false);
    expect(await post(message)).toMatchObject({ status: 200 });
  });

  it("verifies nothing more after too many forged or malformed messages from an address", async () => {
    const limited = createRouteApp(stack, {
      POSTGRES_URL: url,
      EMAIL_EVENTS_TOPICS: TOPIC,
      RATE_LIMIT_PER_ADDRESS: "2",
    });
    onTestFinished(() => limited.close());
    const from = (address: string, body: string) => post(body, { "X-Forwarded-For": address }, limited);
    const valid = amazon.message({ Message: "Successfully validated SNS topic." });
    for (let count = 0; count < 5; count++) expect((await from("192.0.2.1", valid)).status).toBe(200);
    expect((await from("192.0.2.1", amazon.message({}, { Message: "forged" }))).status).toBe(401);
    expect((await from("192.0.2.1", "hello")).status).toBe(400);
    expect((await from("192.0.2.1", "hello")).status).toBe(429);
    expect((await from("192.0.2.1", valid)).status).toBe(429);
    expect((await from("192.0.2.2", valid)).status).toBe(200);
  });

  it("does not exist if no topic is configured", async () => {
    const without = createRouteApp(stack);
    expect(await post(amazon.message(), {}, without)).toEqual({
      status: 404,
      error: "There is nothing at this address.",
      code: "not_found",
    });
    await without.close();
  });

  it("logs no address", async () => {
    const lines = [standardOutput, standardError].map((output) =>
      vi.spyOn(output, "write").mockImplementation(() => {}),
    );
    await post(amazon.message({ Message: bounced("secret-person@example.com") }));
    await post(amazon.message({ Message: bounced("secret person at example.com") }));
    await post(amazon.message({}, { Message: bounced("secret-person@example.com") }));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const written = lines.flatMap((spy) => spy.mock.calls).join("\n");
    vi.restoreAllMocks();
    expect(written).toContain("/api/email/events");
    expect(written).toContain("could not be read");
    expect(written).not.toMatch(/secret/);
  });
});

const sendSimple = async (body: object, headers: Record<string, string> = {}) => {
  const response = await app.fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ title: "Hello", description: "Hello", ...body }),
  });
  return { status: response.status, ...(await response.json()) };
};
const deliver = async (job: object) => {
  const webhook = `${app.apiBaseUrl}/api/queue/send-email`;
  const body = JSON.stringify(job);
  const headers = {
    "Content-Type": "application/json",
    "Upstash-Signature": await signDelivery(body, webhook, stack.queue.currentSigningKey),
  };
  const response = await app.fetch(webhook, { method: "POST", headers, body });
  return { status: response.status, ...(await response.json()) };
};
const recorded = () =>
  query<{ type: string; recipient: string }>(
    url,
    `SELECT id, type, "companyId", campaign_id AS "campaignId", recipient, data, source, client_id, visitor_id, request_id IS NOT NULL AS asked
    FROM events ORDER BY id`,
  );

/** Amazon's notification about the last message that was sent. */
function notified(eventType: "Bounce" | "Complaint" | "Delivery", changes: object = {}, mail: object = {}) {
  const { EmailTags = [], Destination } = ses.accepted.at(-1) ?? {};
  const emailAddress = String(Destination?.ToAddresses[0]);
  const tags = Object.fromEntries(EmailTags.map(({ Name, Value }) => [Name, [Value]]));
  const what = {
    timestamp: new Date().toISOString(),
    bounceType: "Permanent",
    bouncedRecipients: [{ emailAddress }],
    complainedRecipients: [{ emailAddress }],
    recipients: [emailAddress],
    ...changes,
  };
  const message = { messageId: `ses-${ses.accepted.length}`, tags, ...mail };
  return JSON.stringify({ eventType, [eventType.toLowerCase()]: what, mail: message });
}
const notify = (...what: Parameters<typeof notified>) => post(amazon.message({ Message: notified(...what) }));

const common = { client_id: null, visitor_id: null, source: "service", asked: true };

describe("the record of e-mails", () => {
  it("has each message that was sent, with its company and campaign, in lower case", async () => {
    const to = ["Ada <Ada@Example.com>", "bob@example.com"];
    const { results } = await sendSimple({ to, companyId: "acme", tags: { mail: "welcome" } });
    const job = { ...jobFor("Cy@Example.com"), companyId: "other" };
    const { messageId } = await deliver(job);
    expect(await deliver(job)).toMatchObject({ duplicate: true });
    await sendSimple({ to: "dan@example.com" });
    const of = (
      recipient: string,
      companyId: string | null,
      id: string,
      campaignId: string | null = null,
    ) => ({
      ...common,
      ...{ type: "email.sent", companyId, campaignId, recipient, data: { messageId: id } },
    });
    const events = await recorded();
    expect(events).toHaveLength(4);
    expect(events).toEqual(
      expect.arrayContaining(
        [
          of("ada@example.com", "acme", results[0].messageId),
          of("bob@example.com", "acme", results[1].messageId),
          of("cy@example.com", "other", messageId, job.campaignId),
          of("dan@example.com", null, expect.any(String)),
        ].map((event) => expect.objectContaining(event)),
      ),
    );
    const [first] = ses.accepted.slice(-4);
    expect(first?.EmailTags).toEqual([
      { Name: "mail", Value: "welcome" },
      { Name: "platform-embed-event", Value: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
  });

  it("has nothing of messages that were not sent, and each message of a repeated request once", async () => {
    ses.setFault(({ Destination }) =>
      String(Destination.ToAddresses[0]).startsWith("bad")
        ? { error: { status: 400, type: "MessageRejected" } }
        : undefined,
    );
    const body = { to: ["bad@example.com", "good@example.com"] };
    const key = { "Idempotency-Key": crypto.randomUUID() };
    expect(await sendSimple(body, key)).toMatchObject({ status: 207 });
    ses.setFault(undefined);
    expect(await sendSimple(body, key)).toMatchObject({ status: 200 });
    expect(await sendSimple(body, key)).toMatchObject({ status: 200 });
    expect((await recorded()).map(({ recipient }) => recipient)).toEqual([
      "good@example.com",
      "bad@example.com",
    ]);
  });

  it("has what Amazon says about them, once, with the company and campaign of the message", async () => {
    const job = { ...jobFor("Ada@example.com"), companyId: "acme" };
    const { messageId } = await deliver(job);
    const timestamp = new Date(Date.now() + 1_000).toISOString();
    const message = amazon.message({ Message: notified("Delivery", { timestamp }) });
    const repeated = amazon.message({ Message: notified("Delivery", { timestamp }) });
    await Promise.all([message, message, repeated].map((body) => post(body)));
    await notify("Bounce", {
      bounceType: "Transient",
      timestamp: new Date(Date.now() + 2_000).toISOString(),
    });
    await notify("Complaint", { timestamp: new Date(Date.now() + 3_000).toISOString() });
    const of = (type: string, data: object = {}) => ({
      ...common,
      ...{ type, companyId: "acme", campaignId: job.campaignId, recipient: "ada@example.com" },
      data: { ...data, messageId },
    });
    expect(await recorded()).toMatchObject([
      of("email.sent"),
      of("email.delivered"),
      of("email.bounced", { bounceType: "transient" }),
      of("email.complained"),
    ]);
    const [row] = await query<{ occurred: string }>(
      url,
      `SELECT to_char(occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS occurred FROM events WHERE type = 'email.delivered'`,
    );
    expect(row?.occurred).toBe(timestamp);
  });

  it("tell by the message's id what became of it", async () => {
    const { messageId } = await deliver({ ...jobFor("Ada@example.com"), companyId: "acme" });
    const ask = async (id: string) => {
      const response = await app.fetch(`${app.apiBaseUrl}/api/emails/${encodeURIComponent(id)}`);
      return { status: response.status, body: await response.json() };
    };
    expect(await ask(messageId)).toMatchObject({
      status: 200,
      body: {
        messageId,
        status: "accepted",
        events: [{ type: "email.sent", companyId: "acme", subject: { recipient: "ada@example.com" } }],
      },
    });
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    await notify("Complaint", { timestamp: inSeconds(3) });
    await notify("Delivery", { timestamp: inSeconds(2) });
    const { body } = await ask(messageId);
    const types = body.events.map(({ type }: { type: string }) => type);
    expect([body.status, types]).toEqual([
      "complained",
      ["email.sent", "email.delivered", "email.complained"],
    ]);
    for (const unknown of ["unknown", "' OR true --", "%", "a\0b"])
      expect(await ask(unknown)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("names no company for messages that nobody here has sent, or whose sending is not recorded", async () => {
    await sendSimple({ to: "ada@example.com", companyId: "acme" });
    await notify("Delivery", {}, { tags: {} });
    await notify("Bounce", {}, { tags: { "platform-embed-event": [crypto.randomUUID()] } });
    await notify("Complaint", {}, { tags: { "platform-embed-event": ["' OR true"] } });
    const others = (await recorded()).filter(({ type }) => type !== "email.sent");
    expect(others).toMatchObject(Array(3).fill({ companyId: null, recipient: "ada@example.com" }));
  });

  it("is completed once the database is back, and no e-mail is lost or sent again meanwhile", async () => {
    vi.spyOn(standardError, "write").mockImplementation(() => {});
    const before = ses.accepted.length;
    ses.onAccept(() => wire.cut());
    expect(await sendSimple({ to: "ada@example.com" })).toMatchObject({ status: 200, success: true });
    ses.onAccept(undefined);
    expect(await notify("Delivery")).toMatchObject({ status: 503 });
    await wire.restore();
    ses.onAccept(() => wire.cut());
    expect(await deliver(jobFor("bob@example.com"))).toMatchObject({ status: 200, duplicate: false });
    ses.onAccept(undefined);
    await wire.restore();
    await expect
      .poll(async () => (await recorded()).map(({ recipient }) => recipient), { timeout: 15_000 })
      .toEqual(["ada@example.com", "bob@example.com"]);
    expect(ses.accepted).toHaveLength(before + 2);
    vi.restoreAllMocks();
  });
});
