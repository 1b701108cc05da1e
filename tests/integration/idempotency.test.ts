/**
 * `Idempotency-Key` of simple e-mails: a repeated request sends nothing twice, whatever happened to the first one. All tests
 * share two replicas,
 * one provider and one count of delivered e-mails.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { StackInfo } from "../../local/stack-info";
import { startBuiltApp } from "../support/app/built-app";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type SentEmail, type Ses, startSes } from "../support/email/ses";

const shared = inject("stack");
let stack: StackInfo;
const TOKENS = ["first-token-of-32-characters-long", "other-token-of-32-characters-long"];
let ses: Ses;
/** Two apps stand for two replicas: they share only the database. */
let apps: [RouteApp, RouteApp];

beforeAll(async () => {
  ses = await startSes();
  // A database of its own: the tests make all its keys older.
  stack = { ...shared, postgresUrl: await makeDatabase(shared) };
  const make = () =>
    createRouteApp(stack, { CLOUD_SES_ENDPOINT: ses.endpoint, API_BEARER_TOKEN: TOKENS.join(",") });
  apps = [make(), make()];
  await warmUp(apps[0]);
});
beforeEach(() => {
  key = crypto.randomUUID();
  email = { to: addresses(2), title: "Hello", description: "Text" };
});
afterEach(() => {
  ses.setFault(undefined);
  ses.onAccept(undefined);
});
afterAll(async () => {
  await Promise.all(apps?.map((app) => app.close()) ?? []);
  await ses?.close();
});

/** A process's first e-mail waits for a thread that renders it. On a busy machine, that takes longer than a request has. */
const warmUp = (app: NonNullable<Changes["app"]>) =>
  post({
    app,
    body: { to: addresses(1), title: "Hello", description: "Text" },
    headers: { "Idempotency-Key": crypto.randomUUID() },
  });

let key: string;
let email: { to: string[]; title: string; description: string };
const addresses = (count: number) =>
  Array.from({ length: count }, () => `${crypto.randomUUID()}@example.com`);
const isTo =
  (address = "") =>
  ({ Destination }: SentEmail) =>
    Destination.ToAddresses[0] === address;
/** Returns how many times each recipient of `email` has received it. */
const arrived = () => email.to.map((address) => ses.accepted.filter(isTo(address)).length);

interface Changes {
  body?: object;
  token?: string | undefined;
  headers?: Record<string, string>;
  app?: Pick<RouteApp, "fetch" | "apiBaseUrl">;
}
async function post({ body = email, token = TOKENS[0], headers = {}, app = apps[0] }: Changes = {}) {
  const response = await app.fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Authorization: `Bearer ${token}`,
      "Idempotency-Key": key,
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    text,
    json: JSON.parse(text),
    retryAfter: response.headers.get("Retry-After"),
  };
}
const rows = () => query(stack.postgresUrl, "SELECT * FROM idempotency_keys ORDER BY claimed_at DESC");
/** Backdates the start of running and killed requests. */
const age = (interval: string) =>
  query(
    stack.postgresUrl,
    `UPDATE idempotency_keys SET claimed_at = claimed_at - $1::interval, created_at = created_at - $1::interval`,
    [interval],
  );
/** Resolves once SES has the next message, with a function that releases its response. */
async function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    ses.onAccept(() => {
      ses.onAccept(undefined);
      resolve();
      return held;
    });
  });
  return { reached, release };
}
const refused = { error: { status: 400, type: "MessageRejected" } };
const failing = { error: { status: 503, type: "ServiceUnavailable" } };

describe("the same request again", () => {
  it("gets the same bytes and sends nothing, on any replica and with any order of members", async () => {
    const first = await post();
    expect([first.status, arrived()]).toEqual([200, [1, 1]]);
    const requests = ses.requests;
    const { title, description, to } = email;
    for (const app of apps) {
      const again = await post({ app, body: { description, to, title } });
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
    expect(ses.requests).toBe(requests);
  });

  it("is a 409 with Retry-After while the first is running", async () => {
    const { reached, release } = await hold();
    const first = post();
    await reached;
    const during = await Promise.all(apps.map((app) => post({ app })));
    release();
    for (const { status, json, retryAfter } of during) {
      expect([status, json]).toEqual([409, { error: expect.any(String), code: "idempotency_in_progress" }]);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(Number(retryAfter)).toBeLessThanOrEqual(5);
    }
    const { text } = await first;
    expect((await post()).text).toBe(text);
    expect(arrived()).toEqual([1, 1]);
  });

  it("is sent once if two replicas receive it twenty times at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ app: apps[index % 2 === 0 ? 0 : 1] })),
    );
    expect(arrived()).toEqual([1, 1]);
    const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
    expect(texts.size).toBe(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
  });

  it("sends only to recipients who are known to have received nothing", async () => {
    const [first = "", second = ""] = email.to;
    for (const [fault, status] of [
      [refused, 207],
      [failing, 207],
      [refused, 207],
    ] as const) {
      ses.setFault((sent) => (isTo(second)(sent) ? fault : undefined));
      expect((await post()).status).toBe(status);
      expect(arrived()).toEqual([1, 0]);
    }
    ses.setFault(undefined);
    const { status, json } = await post();
    expect([status, arrived()]).toEqual([200, [1, 1]]);
    const id = (address: string) => `ses-${ses.accepted.findIndex(isTo(address)) + 1}`;
    expect(json.results).toEqual([
      { to: first, messageId: id(first) },
      { to: second, messageId: id(second) },
    ]);
  });

  it("gets the same response if recipients complained meanwhile; earlier suppressions are checked again", async () => {
    const [first = "", second = ""] = email.to;
    const suppress = "INSERT INTO email_suppressions (address, reason) VALUES ($1, 'complaint')";
    await query(stack.postgresUrl, suppress, [second]);
    const before = await post();
    expect([before.status, before.json.results[1], arrived()]).toEqual([
      207,
      { to: second, error: "suppressed" },
      [1, 0],
    ]);
    await query(stack.postgresUrl, suppress, [first]);
    expect((await post()).text).toBe(before.text);
    await query(stack.postgresUrl, "DELETE FROM email_suppressions WHERE address = $1", [second]);
    expect([(await post()).status, arrived()]).toEqual([200, [1, 1]]);
  });

  it("succeeds after a 503", async () => {
    ses.setFault(() => failing);
    expect(await post()).toMatchObject({ status: 503, json: { code: "unavailable" } });
    ses.setFault(undefined);
    expect((await post()).status).toBe(200);
    expect(arrived()).toEqual([1, 1]);
  });

  it("does not resend messages that may have been sent, and reports them again", async () => {
    const [first] = email.to;
    ses.setFault((sent) => (isTo(first)(sent) ? { reset: true } : undefined));
    const broken = await post();
    expect(broken.status).toBe(207);
    expect(broken.json.results[0].error).toMatch("may have been sent");
    ses.setFault(undefined);
    const requests = ses.requests;
    expect(await post({ app: apps[1] })).toMatchObject({ status: 207, text: broken.text });
    expect(ses.requests).toBe(requests);
  });
});

describe("a key", () => {
  it("belongs to one body: with another body it gives a 422 and sends nothing", async () => {
    expect((await post()).status).toBe(200);
    const requests = ses.requests;
    for (const body of [
      { ...email, title: "Other" },
      { ...email, to: email.to.toReversed() },
      { ...email, theme: "blue" },
      { ...email, to: email.to.slice(0, 1) },
    ]) {
      const other = await post({ body });
      expect([other.status, other.json]).toEqual([
        422,
        { error: expect.any(String), code: "idempotency_mismatch" },
      ]);
    }
    expect(ses.requests).toBe(requests);
  });

  it("belongs to one caller: other tokens may use the same key", async () => {
    expect((await post()).status).toBe(200);
    expect((await post({ token: TOKENS[1], body: { ...email, title: "Other" } })).status).toBe(200);
    expect(arrived()).toEqual([2, 2]);
  });

  it("is not consumed by a request that is refused before anything is sent", async () => {
    expect((await post({ body: { ...email, title: "" } })).status).toBe(400);
    expect((await post({ body: { ...email, description: "a\n\n".repeat(2_000) } })).status).toBe(400);
    expect((await post({ token: "unknown" })).status).toBe(401);
    expect((await post()).status).toBe(200);
  });

  it("is free again after a day", async () => {
    expect((await post()).status).toBe(200);
    await age("23 hours 59 minutes");
    expect((await post()).status).toBe(200);
    expect(arrived()).toEqual([1, 1]);
    await age("2 minutes");
    expect((await post({ body: { ...email, title: "Other" } })).status).toBe(200);
    expect(arrived()).toEqual([2, 2]);
    expect((await post()).status).toBe(422);
  });

  it.each(["", "a b", "a, b", "a\tb", "clé", "\u00a0", "x".repeat(256)])("may not be %j", async (odd) => {
    const { status, json } = await post({ headers: { "Idempotency-Key": odd } });
    expect([status, json.issues]).toEqual([
      400,
      [{ path: "Idempotency-Key", message: expect.stringContaining("1 to 255") }],
    ]);
    expect(arrived()).toEqual([0, 0]);
  });

  it.each([`"${"quoted"}"`, "x".repeat(255), "';DROP-TABLE-idempotency_keys;--", "__proto__", "%00../.."])(
    "may be %s",
    async (odd) => {
      const headers = { "Idempotency-Key": odd + crypto.randomUUID().slice(0, 255 - odd.length) };
      const first = await post({ headers });
      expect(first.status).toBe(200);
      expect((await post({ headers })).text).toBe(first.text);
      expect(arrived()).toEqual([1, 1]);
    },
  );

  it("is stored as a hash, like the token and the body", async () => {
    await post();
    const [row] = await rows();
    expect(Object.keys(row ?? {}).sort()).toEqual([
      "body_hash",
      "claim_id",
      "claimed_at",
      "created_at",
      "key_hash",
      "outcomes",
    ]);
    const kept = JSON.stringify(await rows());
    for (const secret of [key, ...TOKENS, ...email.to]) expect(kept).not.toContain(secret);
    expect(row).toMatchObject({
      claim_id: null,
      outcomes: { 0: expect.any(String), 1: expect.any(String) },
    });
  });
});

describe("an interrupted request", () => {
  it("continues after a kill: nobody receives it twice, and uncertain recipients are named", async () => {
    email = { ...email, to: addresses(15) };
    const settings = { CLOUD_SES_ENDPOINT: ses.endpoint, API_BEARER_TOKEN: TOKENS.join(",") };
    const app = await startBuiltApp(stack, settings);
    const killed = { apiBaseUrl: app.apiBaseUrl, fetch };
    await warmUp(killed);
    let count = 0;
    ses.onAccept(() => {
      if (++count === 7) app.kill();
    });
    expect(await post({ app: killed }).catch(() => "connection lost")).toBe("connection lost");
    await app.close();
    ses.onAccept(undefined);
    expect((await post()).status).toBe(409);
    const sent = arrived();

    await age("31 seconds");
    const { status, json } = await post();
    expect(status).toBe(207);
    const unknown = json.results.filter(({ error }: { error?: string }) => error !== undefined);
    // Five messages are sent at a time.
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.length).toBeLessThanOrEqual(5);
    for (const { error } of unknown) expect(error).toMatch("may have been sent");
    for (const [index, times] of arrived().entries()) {
      expect(times, "never twice").toBeLessThanOrEqual(1);
      const isUnknown = json.results[index].error !== undefined;
      expect(isUnknown || times === 1, "sent, or named").toBe(true);
      if (isUnknown) expect(times).toBe(sent[index]);
    }
    const { text } = await post({ app: apps[1] });
    expect(JSON.parse(text)).toEqual(json);
  });

  it("sends nothing more once another request has taken it over", async () => {
    email = { ...email, to: addresses(6) };
    const { reached, release } = await hold();
    // One message is held. The other four and the sixth are sent meanwhile or not at all.
    ses.setFault((sent) => (isTo(email.to[5])(sent) ? failing : undefined));
    const late = post();
    await reached;
    await age("31 seconds");
    ses.setFault(undefined);
    const taken = await post({ app: apps[1] });
    release();
    await late;
    for (const times of arrived()) expect(times).toBeLessThanOrEqual(1);
    const sent = taken.json.results.map(({ messageId }: { messageId?: string }) => messageId !== undefined);
    expect(sent.filter((isSent: boolean) => !isSent).length).toBeLessThanOrEqual(5);
  });
});
