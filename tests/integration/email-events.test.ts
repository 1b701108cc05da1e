/** Bounces and complaints from Amazon SNS suppress addresses. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { findSuppressed } from "../../app/email/suppressions.server";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { AMAZON, type SnsAtTheWire, startSns, TOPIC } from "../support/email/sns";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
let amazon: SnsAtTheWire;
let wire: Wire;
let url: string;
let app: RouteApp;

beforeAll(async () => {
  amazon = await startSns();
  url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = createRouteApp(stack, {
    POSTGRES_URL: wire.over(url),
    EMAIL_EVENTS_TOPICS: `arn:aws:sns:us-east-1:123456789012:other, ${TOPIC}`,
  });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
  await amazon?.close();
});
beforeEach(() => query(url, "TRUNCATE email_suppressions"));

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
    const lines = ["log", "warn", "error"].map((level) =>
      vi.spyOn(console, level as "log").mockImplementation(() => {}),
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
