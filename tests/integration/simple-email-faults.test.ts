/** What a simple e-mail becomes when the provider refuses, throttles or fails. */
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { createRouteApp, type RouteApp } from "../support/route-app";
import { type Ses, startSes } from "../support/ses";

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

  it("reaches 49 of 50 when SES refuses one, and says which", async () => {
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

  it("waits a little where SES throttles, and sends once", async () => {
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

  it("is a 502 when nobody got it", async () => {
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

  it("is a 503 when SES fails and nothing was sent, so that it can simply be sent again", async () => {
    ses.setFault(() => ({ error: { status: 503, type: "ServiceUnavailable" } }));
    const answer = await post(addresses(2));
    expect(answer.status).toBe(503);
    // Drawn at random, so that those who are told at once do not come back at once.
    const seconds = Number(answer.headers.get("Retry-After"));
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThanOrEqual(20);
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
  });

  it("says that a message may have been sent, and does not send it again by itself", async () => {
    ses.setFault(() => ({ reset: true }));
    const before = ses.requests;
    const answer = await post(addresses(1));
    expect(answer.status).toBe(502);
    expect((await answer.json()).results[0].error).toMatch("may have been sent");
    expect(ses.requests - before).toBe(1);
  });
});
