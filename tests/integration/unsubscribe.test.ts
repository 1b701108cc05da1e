/** Unsubscribing with the platform's own link: from the e-mail to the next campaign, which is not sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { addSuppressions, findSuppressed } from "../../app/email/suppressions.server";
import { signDelivery } from "../../local/queue/signature";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { query } from "../support/databases/postgres";
import { type Ses, startSes } from "../support/email/ses";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
const SECRET = "an-unsubscribe-secret-of-this-test";
let ses: Ses;
let wire: Wire;
let url: string;
let app: RouteApp;

beforeAll(async () => {
  ses = await startSes();
  url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = makeApp({ UNSUBSCRIBE_SECRET: SECRET });
});
beforeEach(() => query(url, "TRUNCATE email_suppressions, email_deliveries, events"));
afterAll(async () => {
  await app?.close();
  await wire?.cut();
  await ses?.close();
});

const makeApp = (settings: Record<string, string>) =>
  createRouteApp(stack, {
    CLOUD_SES_ENDPOINT: ses.endpoint,
    POSTGRES_URL: wire.over(url),
    PLATFORM_BASE_URL: "https://embed.example.com",
    ...settings,
  });

const deliver = async (changes: object = {}, recipient: object = {}, to: RouteApp = app) => {
  const webhook = `${app.apiBaseUrl}/api/queue/send-email`;
  const body = JSON.stringify({
    recipient: { email: "Ada@Example.com", ...recipient },
    campaignId: crypto.randomUUID(),
    site: { subject: "Spring" },
    branding: { siteName: "North & <wind>", siteUrl: "https://www.north.example" },
    ...changes,
  });
  const headers = {
    "Content-Type": "application/json",
    "Upstash-Signature": await signDelivery(body, webhook, stack.queue.currentSigningKey),
  };
  return (await to.fetch(webhook, { method: "POST", headers, body })).json();
};
const headersOfLast = () => ses.accepted.at(-1)?.Content.Simple.Headers ?? [];
/** Sends an e-mail and returns its unsubscribe link. */
const linkTo = async (changes: object = {}, recipient: object = {}) => {
  await deliver(changes, recipient);
  return headersOfLast()
    .find(({ Name }) => Name === "List-Unsubscribe")
    ?.Value.slice(1, -1) as string;
};
const ask = async (link: string, init: RequestInit = {}, to: RouteApp = app) => {
  const response = await to.fetch(link, init);
  const html = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    html,
    title: /<h1>(.*)<\/h1>/.exec(html)?.[1],
  };
};
const post = (link: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(link, { method: "POST", body: new URLSearchParams(form), headers });
const oneClick = { "List-Unsubscribe": "One-Click" };
const unsubscribed = () => query(url, "SELECT * FROM events WHERE type = 'email.unsubscribed'");
const isOff = async () => (await findSuppressed(app.database, ["ada@example.com"], "north.example")).size > 0;

describe("a campaign e-mail without an integrator's token", () => {
  it("has a one-click link to the platform that contains no address", async () => {
    const link = await linkTo();
    expect(link).toMatch(
      /^https:\/\/embed\.example\.com\/api\/email\/unsubscribe\?event=[0-9a-f-]{36}&token=[\w-]+$/,
    );
    expect(headersOfLast()).toContainEqual({
      Name: "List-Unsubscribe-Post",
      Value: "List-Unsubscribe=One-Click",
    });
    expect(Buffer.from(link.split("token=")[1] ?? "", "base64url").toString("latin1")).not.toMatch(
      /ada|north/i,
    );
  });

  it("has the integrator's link if it has their token, and no link if neither is configured", async () => {
    await deliver({}, { unsubscribeToken: "theirs" });
    expect(headersOfLast()[0]?.Value).toBe("<https://www.north.example/unsubscribe?token=theirs>");
    const without = makeApp({});
    const link = await linkTo();
    await deliver({}, {}, without);
    expect(headersOfLast()).toEqual([]);
    expect((await ask(link, {}, without)).status).toBe(404);
    await without.close();
  });
});

describe("GET and POST /api/email/unsubscribe", () => {
  it("asks for confirmation, in the campaign's language or else the browser's, and changes nothing on GET", async () => {
    const accept = { headers: { "Accept-Language": "fr" } };
    const german = await ask(await linkTo({ locale: "de-AT" }), accept);
    expect([german.status, german.title]).toEqual([200, "Abmelden?"]);
    const french = await ask(await linkTo(), accept);
    expect(french.html).toContain('<html lang="fr" dir="ltr">');
    expect((await ask(await linkTo({ locale: "ar" }))).html).toContain('dir="rtl"');
    expect(await isOff()).toBe(false);
    expect(french.html).toContain("A…@Example.com".toLowerCase());
    expect(french.html).toContain("North &amp; &lt;wind&gt;");
    expect(french.html).not.toContain("ada@example.com");
  });

  it("loads nothing, runs nothing, sends no referrer, and forbids framing and indexing", async () => {
    const { headers, html } = await ask(await linkTo());
    expect(headers.get("Content-Security-Policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(headers.get("X-Robots-Tag")).toBe("noindex");
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(html).not.toMatch(/<script|<img|src=|url\(/);
  });

  it("unsubscribes by its button from this site's campaigns only, and can undo that", async () => {
    const link = await linkTo();
    const done = await post(link, oneClick);
    expect([done.status, done.title]).toEqual([200, "You are unsubscribed"]);
    expect(done.html).toContain('name="subscribe"');
    expect(await deliver()).toMatchObject({ suppressed: true, messageId: null });
    expect(
      await deliver({ branding: { siteName: "South", siteUrl: "https://south.example" } }),
    ).not.toHaveProperty("suppressed");
    expect((await ask(link)).title).toBe("You are unsubscribed");
    expect((await post(link, { subscribe: "again" })).title).toBe("You are subscribed again");
    expect(await deliver()).toMatchObject({ duplicate: false, messageId: expect.any(String) });
    await post(link, { subscribe: "again" });
    expect((await ask(link)).title).toBe("Unsubscribe?");
  });

  it("does not undo a complaint", async () => {
    const link = await linkTo();
    await addSuppressions(app.database, ["ada@example.com"], { reason: "complaint" });
    await post(link, oneClick);
    await post(link, { subscribe: "again" });
    expect(await deliver()).toMatchObject({ suppressed: true });
  });

  it("accepts both forms that mail providers post, repeated and concurrent", async () => {
    const link = await linkTo();
    const form = new FormData();
    form.set("List-Unsubscribe", "One-Click");
    expect((await ask(link, { method: "POST", body: form })).status).toBe(200);
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => post(link, oneClick)));
    expect(atOnce.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await query(url, "SELECT address, site, reason FROM email_suppressions")).toEqual([
      { address: "ada@example.com", site: "north.example", reason: "unsubscribe" },
    ]);
  });

  it("records once who unsubscribed from whose campaigns, each time that somebody does", async () => {
    const link = await linkTo({ companyId: "acme", campaignId: "spring" });
    await Promise.all([1, 2, 3].map(() => post(link, oneClick)));
    const happened = {
      companyId: "acme",
      campaign_id: "spring",
      recipient: "ada@example.com",
      request_id: expect.any(String),
      data: { site: "north.example" },
    };
    expect(await unsubscribed()).toMatchObject([happened]);
    await post(link, { subscribe: "again" });
    await post(link, oneClick);
    expect(await unsubscribed()).toMatchObject([happened, happened]);
  });

  it("records it without a company if the link does not say which e-mail it was in, or names somebody else's", async () => {
    const [link, other] = [
      await linkTo({ companyId: "acme" }),
      await linkTo({ companyId: "other" }, { email: "b@example.com" }),
    ];
    const eventOf = (of: string) => /event=([^&]*)/.exec(of)?.[1] ?? "";
    for (const wrong of [
      link.replace(/event=[^&]*&/, ""),
      link.replace(eventOf(link), eventOf(other)),
      link.replace(eventOf(link), "x"),
      link.replace(eventOf(link), crypto.randomUUID()),
    ]) {
      await query(url, "TRUNCATE email_suppressions");
      expect((await post(wrong, oneClick)).status, wrong).toBe(200);
    }
    const without = { companyId: null, campaign_id: null, recipient: "ada@example.com" };
    expect(await unsubscribed()).toMatchObject(Array(4).fill(without));
  });

  it("ignores other forms and oversized ones", async () => {
    const link = await linkTo();
    for (const form of [
      {},
      { "List-Unsubscribe": "One" },
      { subscribe: "x" },
      { x: "List-Unsubscribe=One-Click" },
    ])
      expect((await post(link, form as Record<string, string>)).status).toBe(400);
    expect(
      (await ask(link, { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } }))
        .status,
    ).toBe(400);
    expect((await ask(link, { method: "POST" })).status).toBe(400);
    expect((await post(link, { ...oneClick, x: "x".repeat(5_000) })).status).toBe(413);
    expect(await isOff()).toBe(false);
  });

  it("explains what to do with an incomplete link", async () => {
    const link = await linkTo();
    for (const wrong of [
      link.slice(0, -3),
      `${link}A`,
      link.replace(/token=.*/, "token="),
      link.split("?")[0] ?? "",
    ]) {
      const { status, title, headers } = await post(wrong, oneClick, { "Accept-Language": "de" });
      expect([400, 404], wrong).toContain(status);
      expect(title).toBe("Dieser Link funktioniert nicht");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    }
    expect(await isOff()).toBe(false);
  });

  it("accepts links signed with the previous secret, and with no other", async () => {
    const link = await linkTo();
    const changed = makeApp({
      UNSUBSCRIBE_SECRET: "b".repeat(32),
      UNSUBSCRIBE_SECRET_PREVIOUS: `c, ${SECRET}`,
    });
    const other = makeApp({ UNSUBSCRIBE_SECRET: "b".repeat(32) });
    expect((await ask(link, {}, changed)).status).toBe(200);
    expect((await ask(link, {}, other)).status).toBe(404);
    await Promise.all([changed.close(), other.close()]);
  });

  it("asks to try again later if the database is unavailable or after too many requests", async () => {
    const link = await linkTo();
    await wire.cut();
    const down = await post(link, oneClick);
    await wire.restore();
    expect([down.status, down.title]).toEqual([503, "That did not work just now"]);
    expect(Number(down.headers.get("Retry-After"))).toBeGreaterThan(0);
    const limited = makeApp({ UNSUBSCRIBE_SECRET: SECRET, RATE_LIMIT_PER_ADDRESS: "1" });
    await ask(link, {}, limited);
    const often = await ask(link, {}, limited);
    expect([often.status, often.title]).toEqual([429, "That did not work just now"]);
    await limited.close();
  });

  it("is served only on the platform host and only for GET and POST", async () => {
    const link = (await linkTo()).replace("https://embed.example.com", app.apiBaseUrl);
    expect((await ask(link)).status).toBe(404);
    expect((await ask(await linkTo(), { method: "PUT" })).status).toBe(405);
  });
});
