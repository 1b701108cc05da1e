/** Simple e-mails when the provider refuses, throttles or fails. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { type Ses, startSes } from "../support/email/ses";

const stack = inject("stack");
let ses: Ses;
let app: RouteApp;

beforeAll(async () => {
  ses = await startSes();
  app = createRouteApp(stack, { CLOUD_SES_ENDPOINT: ses.endpoint });
});
afterEach(() => ses.setFault(undefined));
afterAll(async () => {
  await app?.close();
  await ses?.close();
});

describe("a simple e-mail", () => {
  const post = (to: string[]) =>
    app.fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ to, title: "Hello", description: "Text" }),
    });
  const addresses = (count: number) =>
    Array.from({ length: count }, () => `${crypto.randomUUID()}@example.com`);
  const isTo = (address: string | undefined) => (email: { Destination: { ToAddresses: [string] } }) =>
    email.Destination.ToAddresses[0] === address;

  it("reaches 49 of 50 recipients if SES refuses one, and names that one", async () => {
    const to = addresses(50);
    ses.setFault((email) =>
      isTo(to[17])(email)
        ? { error: { status: 400, type: "MessageRejected", message: "secret" } }
        : undefined,
    );
    const answer = await post(to);
    expect(answer.status).toBe(207);
    const { success, results } = await answer.json();
    expect(success).toBe(false);
    expect(results.map((result: { to: string }) => result.to)).toEqual(to);
    expect(results.filter((result: { messageId?: string }) => result.messageId)).toHaveLength(49);
    expect(results[17]).toEqual({ to: to[17], error: "The mail provider refused this address or message." });
    for (const address of to)
      expect(ses.accepted.filter(isTo(address))).toHaveLength(address === to[17] ? 0 : 1);
  });

  it("waits briefly if SES throttles, and sends once", async () => {
    const [address = ""] = addresses(1);
    let refused = 0;
    ses.setFault(() =>
      refused++ < 2 ? { error: { status: 429, type: "TooManyRequestsException" } } : undefined,
    );
    const answer = await post([address]);
    expect(answer.status).toBe(200);
    expect(ses.accepted.filter(isTo(address))).toHaveLength(1);
    expect(refused).toBe(3);
  });

  it("gives a 502 if nobody received it", async () => {
    ses.setFault(() => ({ error: { status: 400, type: "MessageRejected" } }));
    const to = addresses(2);
    const answer = await post(to);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({
      success: false,
      results: to.map((address) => ({
        to: address,
        error: "The mail provider refused this address or message.",
      })),
      error: "No message was sent. See results.",
      code: "provider_failed",
    });
  });

  it("gives a 503 if SES fails before anything was sent, so that it can be sent again", async () => {
    ses.setFault(() => ({ error: { status: 503, type: "ServiceUnavailable" } }));
    const answer = await post(addresses(2));
    expect(answer.status).toBe(503);
    // Chosen at random, so that callers do not all retry at the same time.
    const seconds = Number(answer.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThanOrEqual(20);
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
  });

  it("reports that a message may have been sent, and does not resend it by itself", async () => {
    ses.setFault(() => ({ reset: true }));
    const before = ses.requests;
    const answer = await post(addresses(1));
    expect(answer.status).toBe(502);
    expect((await answer.json()).results[0].error).toMatch("may have been sent");
    expect(ses.requests - before).toBe(1);
  });
});

describe("the request to SES for a simple e-mail", () => {
  const post = (body: object, settings: Record<string, string> = {}, path = "send-simple-email") => {
    const own = createRouteApp(stack, { CLOUD_SES_ENDPOINT: ses.endpoint, ...settings });
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    return own.fetch(`${own.apiBaseUrl}/api/${path}`, init).finally(() => own.close());
  };
  const base = { title: "Hello", description: "It **works**" };

  it("is that of the first version, with the tag of its event; the answer is the same byte for byte", async () => {
    const answer = await post({ to: ["Ada.L@EXAMPLE.com"], ...base });
    const [email] = ses.accepted.slice(-1);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(
      `{"success":true,"results":[{"to":"Ada.L@EXAMPLE.com","messageId":"ses-${ses.accepted.length}"}]}`,
    );
    const members = ["Content", "Destination", "EmailTags", "FromEmailAddress"];
    expect(Object.keys(email ?? {}).sort()).toEqual(members);
    expect(email).toMatchObject({
      FromEmailAddress: "no-reply@platform.example",
      Destination: { ToAddresses: ["Ada.L@example.com"] },
      Content: { Simple: { Subject: { Data: "Hello" } } },
    });
    const wrong = await post({ to: "nobody", ...base });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toBe(
      '{"error":"The request is invalid. See issues for each error.","code":"invalid_request",' +
        '"issues":[{"path":"to","message":"must be an e-mail address, like ada@example.com"}]}',
    );
  });

  it("has names, Reply-To, tags and the configuration set", async () => {
    const to = ['"Lovelace, Ada" <ada@example.com>', "Zoë <zoe@bücher.example>"];
    const body = { to, ...base, replyTo: "Help <help@example.com>", tags: { mail: "welcome", step: "2" } };
    const answer = await post(body, { SES_CONFIGURATION_SET: "platform-events" });
    expect((await answer.json()).results.map((result: { to: string }) => result.to)).toEqual(to);
    const sent = ses.accepted.slice(-2);
    expect(sent.map(({ Destination }) => Destination.ToAddresses[0]).sort()).toEqual([
      '"Lovelace, Ada" <ada@example.com>',
      `=?UTF-8?B?${Buffer.from("Zoë").toString("base64")}?= <zoe@xn--bcher-kva.example>`,
    ]);
    for (const email of sent) {
      expect(email).toMatchObject({
        ReplyToAddresses: ["Help <help@example.com>"],
        ConfigurationSetName: "platform-events",
        EmailTags: [
          { Name: "mail", Value: "welcome" },
          { Name: "step", Value: "2" },
          { Name: "platform-embed-event", Value: expect.any(String) },
        ],
      });
    }
  });

  it("matches the preview, which sends nothing", async () => {
    const body = { to: "ada@example.com", ...base, theme: "red", replyTo: "help@example.com" };
    const before = ses.requests;
    const preview = await post(body, {}, "preview-simple-email");
    expect(preview.status).toBe(200);
    expect(ses.requests).toBe(before);
    const { subject, html, text } = await preview.json();
    await post(body);
    expect(ses.accepted.at(-1)?.Content.Simple).toMatchObject({
      Subject: { Data: subject },
      Body: { Html: { Data: html }, Text: { Data: text } },
    });
  });

  it("has the same authorization, limits and validation in the preview", async () => {
    const token = "a-token-of-at-least-32-characters-1";
    const refused = await post(base, { API_BEARER_TOKEN: token }, "preview-simple-email");
    expect(refused.status).toBe(401);
    const wrong = await post({ ...base, to: [], tags: { "a b": "c" } }, {}, "preview-simple-email");
    expect((await wrong.json()).issues.map(({ path }: { path: string }) => path)).toEqual(["to", "tags.a b"]);
    // The preview sends nothing, so it needs no sender.
    const own = { ...base, to: "ada@example.com" };
    expect((await post(own, { EMAIL_FROM: "" }, "preview-simple-email")).status).toBe(200);
  });
});
