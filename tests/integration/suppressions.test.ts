/** A suppressed address gets no e-mail of any kind; and `npm run suppressions`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { readCampaignStatus } from "../../app/campaigns/campaign-status.server";
import { suppressions as suppressionsCommand } from "../../app/commands/suppressions";
import { addSuppressions, findSuppressed, removeSuppressions } from "../../app/email/suppressions.server";
import { signDelivery } from "../../local/queue/signature";
import { makeDatabase } from "../support/app/deployment";
import { createRouteApp, type RouteApp } from "../support/app/route-app";
import { runHere, runProcess } from "../support/app/run-command";
import { makeTestFolder, query } from "../support/databases/postgres";
import { type Ses, startSes } from "../support/email/ses";
import { Wire } from "../support/network/wire";

const stack = inject("stack");
let ses: Ses;
let app: RouteApp;
let url: string;
let wire: Wire;

beforeAll(async () => {
  ses = await startSes();
  url = await makeDatabase(stack);
  wire = await Wire.to(url);
  app = createRouteApp(stack, { CLOUD_SES_ENDPOINT: ses.endpoint, POSTGRES_URL: wire.over(url) });
});
beforeEach(async () => {
  ses.accepted.length = 0;
  await query(url, "TRUNCATE email_suppressions, email_deliveries");
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
  await ses?.close();
});

const sentTo = () => ses.accepted.map(({ Destination }) => Destination.ToAddresses[0]);

describe("a simple e-mail", () => {
  const post = async (to: string[]) => {
    const response = await app.fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ to, title: "Hello", description: "Text" }),
    });
    return { status: response.status, ...(await response.json()) };
  };

  it("is sent only to recipients who are not suppressed, and names the others", async () => {
    await addSuppressions(app.database, ["ada@example.com"], { reason: "complaint" });
    await addSuppressions(app.database, ["b@example.com"], { reason: "unsubscribe", site: "n.example" });
    const { status, success, results } = await post(["Ada@Example.com", "b@example.com"]);
    expect([status, success]).toEqual([207, false]);
    expect(results).toEqual([
      { to: "Ada@Example.com", error: "suppressed" },
      { to: "b@example.com", messageId: "ses-1" },
    ]);
    expect(sentTo()).toEqual(["b@example.com"]);
  });

  it("gets a 207 and no error status if all recipients are suppressed, because sending it again would change nothing", async () => {
    await addSuppressions(app.database, ["ada@example.com"], { reason: "bounce" });
    expect(await post(["ada@example.com"])).toEqual({
      status: 207,
      success: false,
      results: [{ to: "ada@example.com", error: "suppressed" }],
    });
    expect(sentTo()).toEqual([]);
  });

  it("has the status of the recipients it was sent to", async () => {
    await addSuppressions(app.database, ["ada@example.com"], { reason: "bounce" });
    ses.setFault(() => ({ error: { status: 400, type: "MessageRejected" } }));
    expect((await post(["ada@example.com", "b@example.com"])).status).toBe(502);
    ses.setFault(() => ({ error: { status: 503, type: "ServiceUnavailable" } }));
    expect((await post(["ada@example.com", "b@example.com"])).status).toBe(503);
    ses.setFault(undefined);
  });
});

describe("a campaign e-mail", () => {
  const jobFor = (email: string, branding: object) => ({
    recipient: { email },
    campaignId: "spring",
    site: { subject: "Spring" },
    branding: { siteName: "Northwind", ...branding },
  });
  const deliver = async (email: string, branding: object = {}) => {
    const webhook = `${app.apiBaseUrl}/api/queue/send-email`;
    const body = JSON.stringify(jobFor(email, branding));
    const signature = await signDelivery(body, webhook, stack.queue.currentSigningKey);
    const response = await app.fetch(webhook, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Upstash-Signature": signature },
      body,
    });
    return { status: response.status, ...(await response.json()) };
  };
  const suppressed = { status: 200, success: true, messageId: null, duplicate: false, suppressed: true };

  it("is never sent to a suppressed address, however often it is delivered, and is counted as suppressed", async () => {
    await addSuppressions(app.database, ["ada@example.com"], { reason: "bounce" });
    expect(await deliver("Ada@example.com")).toEqual(suppressed);
    const atOnce = await Promise.all([1, 2, 3].map(() => deliver("ada@example.com")));
    expect(atOnce).toEqual([suppressed, suppressed, suppressed]);
    expect(await deliver("b@example.com")).toMatchObject({ status: 200, duplicate: false });
    expect(sentTo()).toEqual(["b@example.com"]);
    expect(await readCampaignStatus(app.database, "spring")).toEqual({
      sent: 1,
      sending: 0,
      waiting: 0,
      suppressed: 1,
      givenUp: [],
      lastSentAt: expect.any(String),
    });
  });

  it("of another site is still sent to a recipient who unsubscribed from one site", async () => {
    const addresses = { a: "https://www.north.example/shop?x=1", b: "https://south.example" };
    await addSuppressions(app.database, ["ada@example.com"], {
      reason: "unsubscribe",
      site: "north.example",
    });
    expect(await deliver("ada@example.com", { siteUrl: addresses.a })).toEqual(suppressed);
    expect(await deliver("ada@example.com", { siteUrl: addresses.b })).toMatchObject({
      duplicate: false,
      messageId: "ses-1",
    });
    await addSuppressions(app.database, ["b@example.com"], { reason: "unsubscribe", site: "northwind" });
    expect(await deliver("b@example.com")).toEqual(suppressed);
  });

  it("that was sent is not repeated; one that was suppressed is sent once its recipient is off the list", async () => {
    await addSuppressions(app.database, ["ada@example.com"], { reason: "manual" });
    await deliver("ada@example.com");
    await removeSuppressions(app.database, "ada@example.com");
    const sent = await deliver("ada@example.com");
    expect(sent).toMatchObject({ duplicate: false, messageId: "ses-1" });
    await addSuppressions(app.database, ["ada@example.com"], { reason: "complaint" });
    expect(await deliver("ada@example.com")).toEqual({ ...sent, duplicate: true });
    expect(sentTo()).toEqual(["ada@example.com"]);
  });

  it("waits while another delivery has claimed it", async () => {
    await query(
      url,
      `INSERT INTO email_deliveries (campaign_id, recipient, status, claim_id, claimed_at)
       VALUES ('spring', 'ada@example.com', 'claimed', 'other', now() AT TIME ZONE 'utc')`,
    );
    await addSuppressions(app.database, ["ada@example.com"], { reason: "bounce" });
    expect(await deliver("ada@example.com")).toMatchObject({ status: 503 });
    await query(url, "UPDATE email_deliveries SET claimed_at = claimed_at - interval '61 seconds'");
    expect(await deliver("ada@example.com")).toEqual(suppressed);
  });

  it("and a simple one are not sent while the list cannot be read", async () => {
    await wire.cut();
    const simple = await app.fetch(`${app.apiBaseUrl}/api/send-simple-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ to: "a@example.com", title: "Hello", description: "Text" }),
    });
    const campaign = await deliver("a@example.com");
    await wire.restore();
    expect([simple.status, campaign.status, sentTo()]).toEqual([503, 503, []]);
    expect((await deliver("a@example.com")).status).toBe(200);
  });
});

describe("npm run suppressions", () => {
  const run = (...words: string[]) =>
    runHere("suppressions", suppressionsCommand, words, { POSTGRES_URL: url });

  it("adds, lists and removes", async () => {
    expect(await run("list")).toMatchObject({ code: 0, stdout: "The list is empty.\n" });
    expect((await run("list", "--json")).stdout).toBe("");
    expect(await run("add", "Ada@Example.com", "b@example.com")).toMatchObject({
      code: 0,
      stdout: "2 of 2 added.\n",
    });
    expect((await run("add", "ada@example.com")).stdout).toContain("0 of 1 added; the others");
    expect((await run("add", "c@example.com", "--site", "https://www.North.example/shop")).code).toBe(0);
    const listed = (await run("list", "--json")).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(listed).toEqual([
      { address: "ada@example.com", site: null, reason: "manual", createdAt: expect.stringMatching(/T.*Z$/) },
      { address: "b@example.com", site: null, reason: "manual", createdAt: expect.any(String) },
      {
        address: "c@example.com",
        site: "north.example",
        reason: "unsubscribe",
        createdAt: expect.any(String),
      },
    ]);
    expect((await run("list", "--site", "north.example")).stdout).toMatch(
      /^unsubscribe {2}\S+ {2}c@example\.com {2}campaigns of north\.example\n$/,
    );
    expect(await run("remove", "ADA@example.com", "nobody@example.com")).toMatchObject({
      code: 1,
      stdout: "Removed ada@example.com.\n",
      stderr: "nobody@example.com is not on the list.\n",
    });
    expect((await run("remove", "b@example.com", "--reason", "bounce")).code).toBe(1);
    expect((await run("list", "--reason", "manual")).stdout).toMatch(/^manual {7}\S+ {2}b@example\.com\n$/);
  });

  it("imports another provider's file and names invalid lines", async () => {
    const file = join(await makeTestFolder(), "bounced.txt");
    await writeFile(file, Array.from({ length: 1_200 }, (_, index) => `P${index}@example.com`).join("\r\n"));
    expect((await run("add", "--file", file, "--reason", "bounce")).stdout).toBe("1200 of 1200 added.\n");
    await writeFile(file, "p1@example.com\n\nnobody\n");
    expect(await run("add", "--file", file)).toMatchObject({
      code: 1,
      stderr: "Line 3 is not an e-mail address. Nothing was added.\n",
    });
  });

  it("imports a file with a heading, and takes no other line for one", async () => {
    const file = join(await makeTestFolder(), "bounced.csv");
    await writeFile(file, "\uFEFF\r\nEmail address\r\nheaded@example.com\r\n");
    expect(await run("add", "--file", file)).toMatchObject({
      code: 0,
      stdout: "1 of 1 added.\n",
      stderr: "Line 2 is not an address, and is taken for a heading.\n",
    });
    for (const [content, line] of [
      ["ada@localhost\n", 1],
      ["email\nreason\n", 2],
      ["second@example.com\nemail\n", 2],
    ] as const) {
      await writeFile(file, content);
      expect(await run("add", "--file", file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Line ${line} is not an e-mail address. Nothing was added.\n`),
      });
    }
  });

  it("takes an address for the same in upper and lower case, wherever it comes from", async () => {
    await run("add", "Mixed.Case@Example.com");
    for (const written of ["mixed.case@example.com", "MIXED.CASE@EXAMPLE.COM", "Mixed.Case@example.com"])
      expect(await findSuppressed(app.database, [written])).toEqual(new Set(["mixed.case@example.com"]));
    expect((await run("add", "MIXED.case@example.com")).stdout).toContain("0 of 1 added");
    expect((await run("remove", "mIXED.cASE@eXAMPLE.com")).stdout).toBe("Removed mixed.case@example.com.\n");
    expect(await findSuppressed(app.database, ["mixed.case@example.com"])).toEqual(new Set());
  });

  it("reports errors and exits with 1 as a separate process", async () => {
    expect(await runProcess("suppressions", ["add", "nobody"], { POSTGRES_URL: url })).toMatchObject({
      code: 1,
      stderr: '"nobody" is not an e-mail address.\n',
    });
    expect((await run("add")).stderr).toBe("Give either addresses or --file FILE.\n");
    expect((await run("add", "a@example.com", "--reason", "mood")).code).toBe(1);
    const help = await run("add", "--help");
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining("--site <site>")]);
  });
});
