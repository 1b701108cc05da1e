/** A deployment that checks no signatures and requires a bearer token. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { type Ses, startSes } from "../support/email/ses";

const stack = inject("stack");
const IN_USE = "in-use-0123456789-0123456789-0123";
let ses: Ses;
let signed: BuiltApp;
let open: BuiltApp;

beforeAll(async () => {
  ses = await startSes();
  [signed, open] = await Promise.all([
    startBuiltApp(stack, { QUEUE_VERIFY: "true" }),
    startBuiltApp(stack, {
      CLOUD_SES_ENDPOINT: ses.endpoint,
      QUEUE_VERIFY: "false",
      QUEUE_ALLOW_UNVERIFIED: "true",
      API_BEARER_TOKEN: IN_USE,
    }),
  ]);
});
afterAll(async () => {
  await Promise.all([signed?.close(), open?.close()]);
  await ses?.close();
});

const someAddress = () => `${crypto.randomUUID()}@example.com`;

describe("a deployment that checks no signatures", () => {
  it("warns at every start that anybody can send campaigns, and accepts unsigned jobs, but no forms", async () => {
    expect(open.output()).toMatch('"level":"warn","message":"QUEUE_VERIFY is not true');
    expect(signed.output()).not.toMatch("QUEUE_VERIFY is not true");
    const recipient = { email: someAddress() };
    const site = { subject: "Spring" };
    const job = { recipient, campaignId: "spring", site, branding: { siteName: "Northwind" } };
    const deliver = (contentType: string) =>
      fetch(`${open.apiBaseUrl}/api/queue/send-email`, {
        method: "POST",
        headers: { "Content-Type": contentType },
        body: JSON.stringify(job),
      });
    // A form of another site can have these types.
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const refused = await deliver(type);
      expect(refused.status).toBe(415);
      expect(await refused.json()).toMatchObject({ error: expect.stringContaining("application/json") });
    }
    expect(ses.accepted).toEqual([]);
    expect((await deliver("Application/JSON; charset=utf-8")).status).toBe(200);
    const recipients = ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]);
    expect(recipients).toEqual([recipient.email]);
  });

  it("sends simple e-mails only for its own integrators", async () => {
    const to = someAddress();
    const post = (headers: Record<string, string>) =>
      fetch(`${open.apiBaseUrl}/api/send-simple-email`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...headers },
        body: JSON.stringify({ to, title: "Hello", description: "Text" }),
      });
    const before = ses.requests;
    const refusedHeaders: Record<string, string>[] = [{}, { Authorization: "Bearer wrong" }];
    for (const headers of refusedHeaders) {
      const refused = await post(headers);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ code: "invalid_bearer_token" });
    }
    expect(ses.requests).toBe(before);
    expect((await post({ Authorization: `Bearer ${IN_USE}` })).status).toBe(200);
  });
});
