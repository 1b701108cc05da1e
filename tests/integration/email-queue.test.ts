import { describe, expect, inject, it } from "vitest";
import { signDelivery } from "../../local/queue/signature";
import { databaseOf } from "../support/app/embed-client";
import { readMailbox } from "../support/email/mailbox";
import { deliverJob } from "../support/email/queue-delivery";

const stack = inject("stack");
const webhook = `${stack.apiBaseUrl}/api/queue/send-email`;
const queue = { apiBaseUrl: stack.apiBaseUrl, signingKey: stack.queue.currentSigningKey };

/** A unique address, so that tests do not read each other's mail. */
const someAddress = (domain = "example.com") => `${crypto.randomUUID()}@${domain}`;

const jobFor = (email: string, changes: object = {}) => ({
  recipient: { email, name: "Ada Lovelace", unsubscribeToken: "tok-1" },
  campaignId: `campaign-${crypto.randomUUID()}`,
  site: { subject: "Spring is here ☀️" },
  branding: {
    siteName: "Northwind",
    siteUrl: "https://northwind.example",
    logoUrl: "https://northwind.example/logo.png",
    supportEmail: "help@northwind.example",
  },
  featuredProducts: [{ name: "Trail Pack 40", url: "https://northwind.example/p/40" }],
  events: [{ title: "Night hike", date: "2026-12-05" }],
  somethingNew: true,
  ...changes,
});

describe("POST /api/queue/send-email", () => {
  it("sends the campaign e-mail, with one-click unsubscribing", async () => {
    const to = someAddress();
    const answer = await deliverJob(queue, jobFor(to));
    expect(answer.status).toBe(200);
    const [mail] = await readMailbox(stack.mailboxUrl, to);
    expect(await answer.json()).toEqual({ success: true, messageId: mail?.sesMessageId, duplicate: false });
    expect(mail?.subject).toBe("Spring is here ☀️");
    expect(mail?.from?.value).toEqual([{ name: "Northwind", address: "no-reply@platform.example" }]);
    expect([mail?.to ?? []].flat()[0]?.value).toEqual([{ name: "Ada Lovelace", address: to }]);
    const headers = mail?.headerLines.map(({ line }) => line) ?? [];
    expect(headers).toContain("List-Unsubscribe: <https://northwind.example/unsubscribe?token=tok-1>");
    expect(headers).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    for (const part of [mail?.text, String(mail?.html)]) {
      expect(part).toContain("Hello Ada Lovelace,");
      expect(part).toContain("Trail Pack 40");
      expect(part).toContain("Saturday, December 5, 2026");
      expect(part).toContain("help@northwind.example");
      expect(part).toContain("https://northwind.example/unsubscribe?token=tok-1");
    }
  });

  it("accepts the next key too, and sends a repeated job once", async () => {
    const to = someAddress();
    const job = jobFor(to);
    const first = await (await deliverJob(queue, job)).json();
    const next = { ...queue, signingKey: stack.queue.nextSigningKey };
    const again = await deliverJob(next, { ...job, recipient: { email: to.toUpperCase() } });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual({ success: true, messageId: first.messageId, duplicate: true });
    expect(await readMailbox(stack.mailboxUrl, to)).toHaveLength(1);
  });

  it("sends once when the same job is delivered ten times at once", async () => {
    const to = someAddress();
    const job = jobFor(to);
    const answers = await Promise.all(Array.from({ length: 10 }, () => deliverJob(queue, job)));
    expect(await readMailbox(stack.mailboxUrl, to)).toHaveLength(1);
    const sent = [];
    for (const answer of answers) {
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      else sent.push((await answer.json()).duplicate);
    }
    expect(sent.filter((duplicate) => !duplicate)).toHaveLength(1);
    expect((await (await deliverJob(queue, job)).json()).duplicate).toBe(true);
  });

  it("responds with 401 to unsigned requests before it reads the body", async () => {
    const body = JSON.stringify(jobFor(someAddress()));
    const json = { "Content-Type": "application/json" };
    const post = (headers: Record<string, string>, sent: string = body) =>
      fetch(webhook, { method: "POST", headers, body: sent });
    const signature = await signDelivery(body, webhook, queue.signingKey);
    const answers = [
      await post({}),
      await post({ "Queue-Signature": "nonsense" }, "not json"),
      await post({ "Queue-Signature": await signDelivery(body, webhook, "sig_other") }),
      await post({ "Queue-Signature": await signDelivery(body, `${webhook}x`, queue.signingKey) }),
      await post({ "Queue-Signature": signature }, `${body} `),
      await post({}, "a".repeat(5e6)),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({
        error: "The signature of this message is missing or not valid.",
        code: "invalid_signature",
      });
    }
    // Signed, but not JSON: `fetch` calls a text text/plain.
    expect((await post({ "Queue-Signature": signature })).status).toBe(415);
    expect((await post({ ...json, "Queue-Signature": signature })).status).toBe(200);
  });

  it.each([
    ["not JSON", "hello", ""],
    ["an empty body", "", ""],
    [
      "a token that no URL can hold",
      JSON.stringify(
        jobFor("a@example.com", { recipient: { email: "a@example.com", unsubscribeToken: "\ud800" } }),
      ),
      "recipient.unsubscribeToken",
    ],
    ["no recipient", JSON.stringify({ ...jobFor("x@example.com"), recipient: {} }), "recipient.email"],
    ["an address nobody can be reached at", JSON.stringify(jobFor("nobody")), "recipient.email"],
  ])("tells the queue not to deliver again: %s", async (_, body, path) => {
    const answer = await deliverJob(queue, body);
    expect(answer.status).toBe(489);
    expect(answer.headers.get("Upstash-NonRetryable-Error")).toBe("true");
    const { code, issues } = await answer.json();
    expect(code).toBe("job_refused");
    expect(issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it.each([
    ["its address has no https", { siteName: "Shop", siteUrl: "shop.example.com" }, "branding.siteUrl"],
    [
      "its address is no text",
      { siteName: "Shop", siteUrl: ["https://shop.example.com"] },
      "branding.siteUrl",
    ],
    ["branding is a text", "https://shop.example.com", "branding"],
  ])("sends nothing to whoever has unsubscribed from the site if %s", async (_, branding, path) => {
    const address = someAddress();
    const site = "shop.example.com";
    await databaseOf(stack).emailSuppression.create({ data: { address, site, reason: "unsubscribe" } });
    // With a token, the link to unsubscribe would need the site's address.
    const recipient = { email: address };
    const job = jobFor(address, { recipient, branding: { siteName: "Shop", siteUrl: `https://${site}` } });
    expect(await (await deliverJob(queue, job)).json()).toMatchObject({ suppressed: true });
    const answer = await deliverJob(queue, jobFor(address, { recipient, branding }));
    expect([answer.status, await answer.json()]).toMatchObject([489, { issues: [{ path }] }]);
    expect(await readMailbox(stack.mailboxUrl, address)).toEqual([]);
  });

  it("sends the e-mail without parts that are faulty, also without branding", async () => {
    const to = someAddress();
    const faulty = {
      // With a token, the link to unsubscribe would need the site's address.
      recipient: { email: to, name: 5 },
      campaignId: Date.now(),
      branding: null,
      featuredProducts: [{ name: "Trail Pack 40", url: "javascript:1" }],
      events: [{ title: "Fair", date: 5 }],
    };
    const answer = await deliverJob(queue, jobFor(to, faulty));
    expect([answer.status, await answer.json()]).toMatchObject([200, { success: true, duplicate: false }]);
    const [mail] = await readMailbox(stack.mailboxUrl, to);
    expect(mail?.text).toContain("Trail Pack 40");
    expect(mail?.text).not.toContain("Fair");
    expect(String(mail?.html)).not.toContain("javascript:");
    expect(mail?.from?.value).toEqual([{ name: "platform.example", address: "no-reply@platform.example" }]);
  });

  it("accepts any campaign id and recognizes it again", async () => {
    const job = jobFor(someAddress(), {
      campaignId: `\u0000'; DROP TABLE email_deliveries; -- ${crypto.randomUUID()}`,
    });
    expect((await (await deliverJob(queue, job)).json()).duplicate).toBe(false);
    expect((await (await deliverJob(queue, job)).json()).duplicate).toBe(true);
  });

  it("tells the queue not to retry 5 MB", async () => {
    const answer = await deliverJob(queue, { ...jobFor(someAddress()), padding: "a".repeat(5e6) });
    expect(answer.status).toBe(489);
    expect(answer.headers.get("Upstash-NonRetryable-Error")).toBe("true");
    expect((await answer.json()).error).toMatch(/over the limit/);
  });

  it("keeps line breaks in names out of the headers", async () => {
    const to = someAddress("bücher.example");
    const name = 'Ada "the first", Lovelace\r\nBcc: eve@example.com\u2028x';
    const answer = await deliverJob(queue, jobFor(to, { recipient: { email: to, name } }));
    expect(answer.status).toBe(200);
    const [mail] = await readMailbox(stack.mailboxUrl, to.replace("bücher.example", "xn--bcher-kva.example"));
    expect([mail?.to ?? []].flat().flatMap(({ value }) => value)).toEqual([
      {
        name: 'Ada "the first", Lovelace Bcc: eve@example.com x',
        address: to,
      },
    ]);
    expect(mail?.headers.has("bcc")).toBe(false);
    expect(mail?.headers.has("list-unsubscribe")).toBe(false);
  });
});
