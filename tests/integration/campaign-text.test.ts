/** A campaign with words of its own, from a customer list to what became of each e-mail. */
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, inject, it, vi } from "vitest";
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { createRouteApp } from "../support/app/route-app";
import { makeTestFolder, query } from "../support/databases/postgres";
import { campaignFile, jobFor, runCampaign } from "../support/email/campaign";
import { readMailbox } from "../support/email/mailbox";
import { startSes } from "../support/email/ses";
import { closeAfterTest, startQueue } from "../support/email/test-queue";

const stack = inject("stack");

async function makeList(lines: string[], template: object = {}) {
  const folder = await makeTestFolder();
  const campaignId = crypto.randomUUID();
  const paths = {
    list: join(folder, "customers.csv"),
    template: join(folder, "spring.json"),
    body: join(folder, "spring.md"),
    out: join(folder, "spring.ndjson"),
  };
  await writeFile(paths.list, lines.join("\r\n"));
  await writeFile(
    paths.template,
    JSON.stringify({
      campaignId,
      site: { subject: "{{first_name|You}}, your tent is ready" },
      branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
      button: { label: "Fetch it", url: "https://northwind.example/orders/{{order}}" },
      ...template,
    }),
  );
  await writeFile(paths.body, "Dear {{first_name|friend}},\n\nyour **order {{order}}** is ready.\n");
  return { campaignId, folder, ...paths };
}

it("a customer list becomes e-mails with words of their own, and each line's outcome is known", async () => {
  const queue = await startQueue();
  const addresses = ["a", "b", "c"].map((name) => `${name}-${crypto.randomUUID()}@example.com`);
  const { campaignId, folder, list, template, body, out } = await makeList([
    "E-mail;Name;First name;Order",
    `${addresses[0]};Ada Lovelace;Ada;<b>7</b>`,
    `${addresses[1]};;;8`,
    `${addresses[2]};Cy;Cy;9`,
  ]);
  const made = await runCampaign(
    ["from-csv", list, "--template", template, "--body", body, "--out", out],
    {},
  );
  expect(made.output).toMatch(`3 jobs written to ${out}.`);
  expect(made.output).toMatch("First name → {{first_name}}");
  expect(made.code).toBe(0);

  const shown = await runCampaign(
    ["preview", out, "--line", "1", "--out", join(folder, "preview"), "--json"],
    {},
  );
  const { subject, html, text } = JSON.parse(shown.output);
  expect(subject).toBe("Ada, your tent is ready");
  // Other users of the machine cannot read them.
  for (const file of [out, html, text]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(html, "utf8")).toContain(
    "your <strong>order &lt;b&gt;7&lt;/b&gt;</strong> is ready.",
  );
  expect(await readFile(text, "utf8")).toContain(
    "Dear Ada,\n\nyour order <b>7</b> is ready.\n\nFetch it: https://northwind.example/orders/%3Cb%3E7%3C%2Fb%3E\n",
  );

  const env = { QUEUE_URL: queue.endpoint, POSTGRES_URL: stack.postgresUrl };
  const published = await runCampaign(["publish", out, "--json"], env);
  expect(JSON.parse(published.output.split("\n").find((line) => line.startsWith("{")) ?? "")).toMatchObject({
    campaignId,
    jobs: 3,
    new: 3,
    refused: 0,
  });
  await vi.waitFor(
    async () => {
      for (const address of addresses) expect(await readMailbox(stack.mailboxUrl, address)).toHaveLength(1);
    },
    { timeout: 20_000, interval: 200 },
  );
  const [first] = await readMailbox(stack.mailboxUrl, addresses[0] as string);
  expect(first?.subject).toBe("Ada, your tent is ready");
  expect(first?.text).toContain("Dear Ada,\n\nyour order <b>7</b> is ready.");
  expect((await readMailbox(stack.mailboxUrl, addresses[1] as string))[0]?.subject).toBe(
    "You, your tent is ready",
  );

  // As the notifications of Amazon SES are recorded.
  const record = (address: string, type: string) =>
    query(
      stack.postgresUrl,
      `INSERT INTO events (id, type, occurred_at, campaign_id, recipient, source)
       VALUES (gen_random_uuid(), $1, now() AT TIME ZONE 'utc', $2, $3, 'service')`,
      [type, campaignId, address],
    );
  for (const type of ["email.delivered", "email.opened", "email.opened", "email.clicked"])
    await record(addresses[0] as string, type);
  await record(addresses[1] as string, "email.bounced");
  const status = (...words: string[]) => runCampaign(["status", campaignId, ...words], env);
  const counted = (await status()).output;
  expect(counted).toMatch(/^3 sent, /m);
  expect(counted).toMatch(
    "Of these, 1 delivered, 1 bounced, 0 marked as spam, 0 unsubscribed.\n1 opened, 1 clicked",
  );
  expect(JSON.parse((await status("--json")).output)).toMatchObject({
    sent: 3,
    outcomes: { delivered: 1, bounced: 1, opened: 1, clicked: 1 },
    stopped: null,
  });
  const lines = (await status("--file", out, "--lines")).output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
  const sent = { state: "sent", messageId: expect.any(String), sentAt: expect.any(String) };
  expect(lines).toEqual([
    { line: 1, recipient: addresses[0], ...sent, outcome: "clicked" },
    { line: 2, recipient: addresses[1], ...sent, outcome: "bounced" },
    { line: 3, recipient: addresses[2], ...sent },
  ]);
  expect((await status("--lines")).output).toMatch("--lines needs --file FILE.");
});

it("the guide's own list, text and job make a campaign", async () => {
  const guide = await readFile("docs/guide/first-campaign.md", "utf8");
  const sample = (language: string) =>
    new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "s").exec(guide)?.[1] ?? "";
  const folder = await makeTestFolder();
  const at = (name: string) => join(folder, name);
  await writeFile(at("customers.csv"), sample("csv"));
  await writeFile(at("orders.md"), sample("md"));
  await writeFile(at("orders.json"), sample("json"));
  const words = ["--template", at("orders.json"), "--body", at("orders.md"), "--out", at("orders.ndjson")];
  const made = await runCampaign(["from-csv", at("customers.csv"), ...words], {});
  expect(made.output).toMatch("3 jobs written to ");
  const checked = await runCampaign(["publish", at("orders.ndjson"), "--dry-run"], {});
  expect([checked.code, checked.output]).toEqual([0, expect.stringContaining("Every e-mail can be sent.")]);
  await runCampaign(["preview", at("orders.ndjson"), "--line", "3", "--out", folder], {});
  expect(await readFile(at("orders-2027-03-line-3.txt"), "utf8")).toMatch(
    /^You, your order is ready\n\nDear friend,\n\nyour order 1236 is/,
  );
});

it("lines of a list that cannot be sent are named, and can be left out", async () => {
  const { list, template, body, out, folder } = await makeList([
    "email,first_name,order",
    "ada@example.com,Ada,1",
    "not an address,Bob,2",
    "cy@example.com,Cy,",
    "ADA@example.com,Ada,5",
    "short@example.com",
  ]);
  const fromCsv = (...words: string[]) =>
    runCampaign(["from-csv", list, "--template", template, "--body", body, "--out", out, ...words], {});
  const refused = await fromCsv();
  expect(refused.code).toBe(1);
  expect(refused.output).toMatch(
    "3 rows are not valid:\n  row 3: recipient.email: must be an e-mail address",
  );
  expect(refused.output).toMatch(
    "  row 4: variables.order: has no value, and {{order}} in button.url has no fallback; variables.order: has no value, and {{order}} in body has no fallback\n",
  );
  expect(refused.output).toMatch("  row 6: has 1 cell, and the list has 3 columns\n");
  expect(refused.output).toMatch("Nothing was written.");
  expect((await readdir(folder)).sort()).toEqual(["customers.csv", "spring.json", "spring.md"]);
  const some = await fromCsv("--skip-invalid", "--json");
  expect(some.code).toBe(0);
  expect(JSON.parse(some.output.split("\n").find((line) => line.startsWith("{")) ?? "")).toMatchObject({
    file: out,
    jobs: 1,
    invalid: 3,
  });
  expect(JSON.parse(await readFile(out, "utf8"))).toMatchObject({
    variables: { first_name: "Ada", order: "1" },
  });

  for (const [name, content, message] of [
    ["no JSON", "{", "is not JSON: "],
    ["a recipient", JSON.stringify({ recipient: {} }), "must be one job without recipient"],
  ] as const) {
    await writeFile(template, content);
    expect((await fromCsv()).output, name).toMatch(message);
  }
});

it("columns and variables that do not fit are named", async () => {
  const { list, template, body, out } = await makeList(["email,firstname,order", "ada@example.com,Ada,1"]);
  const words = ["--template", template, "--body", body];
  const made = await runCampaign(["from-csv", list, ...words, "--out", out], {});
  expect(made.output).toMatch("No column is for {{first_name}}, so everybody gets its fallback.");
  expect(made.output).toMatch("The column “firstname” is not used.");
  expect(made.code).toBe(0);
});

it("no file that is read is replaced, and nothing that is not a file", async () => {
  const { list, template, body, folder } = await makeList(["email,order", "ada@example.com,1"]);
  const before = await readFile(list, "utf8");
  for (const [out, message] of [
    [list, "which is read"],
    [template, "which is read"],
    [folder, "is not a file"],
    ["/dev/null", "is not a file"],
  ] as const) {
    const words = ["--template", template, "--body", body, "--out", out];
    const refused = await runCampaign(["from-csv", list, ...words], {});
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(message)]);
  }
  expect(await readFile(list, "utf8")).toBe(before);
  expect((await readdir(folder)).sort()).toEqual(["customers.csv", "spring.json", "spring.md"]);
});

it("a dry run names the missing variables of every line", async () => {
  const job = { ...jobFor("ada@example.com"), body: "Hi {{first_name}}, {{code}}" };
  const lines = Array.from({ length: 30 }, (_, at) => ({
    ...job,
    recipient: { email: `${at}@example.com` },
    ...(at === 0 ? { variables: { first_name: "Ada", code: 1 } } : {}),
  }));
  const file = await campaignFile(...lines);
  const dryRun = await runCampaign(["publish", file, "--dry-run"], {});
  expect(dryRun.code).toBe(1);
  expect(dryRun.output).toMatch(
    "  line 2: variables.first_name: has no value, and {{first_name}} in body has no fallback; variables.code: has no value, and {{code}} in body has no fallback\n",
  );
  expect(dryRun.output).toMatch("  and 9 more");
  const all = await runCampaign(["publish", file, "--dry-run", "--json"], {});
  const { isValid, invalid, issues } = JSON.parse(
    all.output.split("\n").find((line) => line.startsWith("{")) ?? "",
  );
  expect([isValid, invalid, issues.length, issues[28].line]).toEqual([false, 29, 29, 30]);
});

it("a dry run says of links to unsubscribe what it knows", async () => {
  const { recipient, ...rest } = jobFor("");
  const address = `${crypto.randomUUID()}@example.com`;
  const file = await campaignFile({ ...rest, recipient: { email: address } });
  const dryRun = async (env: Record<string, string> = {}) =>
    (await runCampaign(["publish", file, "--dry-run"], env)).output;
  expect(await dryRun()).toMatch(
    "The jobs have no unsubscribeToken, and UNSUBSCRIBE_SECRET is not set here. If it is set on the server, the e-mails have a link",
  );
  const settings = { UNSUBSCRIBE_SECRET: "s".repeat(44), PLATFORM_BASE_URL: "https://embed.example.com" };
  expect(await dryRun(settings)).not.toMatch("unsubscribe");
  const withToken = await campaignFile({ ...rest, recipient: { ...recipient, email: address } });
  expect((await runCampaign(["publish", withToken, "--dry-run"], {})).output).not.toMatch("unsubscribe");
});

it("a test goes to one address only, without the recipient's link and without a record", async () => {
  const { template, body, out, list, campaignId } = await makeList([
    "email,unsubscribe_token,order",
    `real-${crypto.randomUUID()}@example.com,real-token,1`,
  ]);
  await runCampaign(["from-csv", list, "--template", template, "--body", body, "--out", out], {});
  const to = `tester-${crypto.randomUUID()}@example.com`;
  const folder = await makeTestFolder();
  const sent = await runCampaign(
    ["preview", out, "--line", "1", "--out", folder, "--test-to", to],
    deploymentEnv(stack, stack.postgresUrl),
  );
  expect(sent.output).toMatch(`Sent to ${to}`);
  const [email] = await readMailbox(stack.mailboxUrl, to);
  expect(email?.subject).toBe("[Test] You, your tent is ready");
  expect(email?.text).not.toContain("real-token");
  expect(JSON.stringify(email?.headerLines)).not.toContain("real-token");
  expect(
    await query(stack.postgresUrl, "SELECT 1 FROM email_deliveries WHERE campaign_id = $1", [campaignId]),
  ).toEqual([]);
  for (const [words, message] of [
    [["--line", "9"], "has no line 9"],
    [["--line", "0"], "whole number from 1"],
    [["--line", "1", "--test-to", "nobody"], "nobody is not an e-mail address"],
  ] as const)
    expect((await runCampaign(["preview", out, "--out", folder, ...words], {})).output).toMatch(message);
});

it("a paused campaign sends nothing until it is resumed, and a cancelled one nothing at all", async () => {
  const url = await makeDatabase(stack);
  const ses = await startSes();
  closeAfterTest(() => ses.close());
  const app = createRouteApp(stack, {
    POSTGRES_URL: url,
    CLOUD_SES_ENDPOINT: ses.endpoint,
    QUEUE_VERIFY: "false",
    QUEUE_ALLOW_UNVERIFIED: "true",
  });
  closeAfterTest(() => app.close());
  const job = jobFor("ada@example.com");
  const deliver = async () => {
    const response = await app.fetch(`${app.apiBaseUrl}/api/queue/send-email`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(job),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const run = async (...words: string[]) => (await runCampaign(words, { POSTGRES_URL: url })).output;

  expect(await run("pause", job.campaignId)).toMatch("Paused. To go on: npm run campaign -- resume");
  const paused = await deliver();
  expect(paused).toMatchObject({ status: 503, body: { error: "The campaign is paused." } });
  expect(Number(paused.headers.get("Retry-After"))).toBeGreaterThanOrEqual(3_000);
  expect(Number(paused.headers.get("Retry-After"))).toBeLessThanOrEqual(3_600);
  expect(await run("status", job.campaignId)).toMatch(/^Paused since 2/m);

  expect(JSON.parse((await run("cancel", job.campaignId, "--json")).split("\n")[0] ?? "")).toEqual({
    campaignId: job.campaignId,
    state: "cancelled",
    removed: null,
  });
  const cancelled = await deliver();
  expect(cancelled).toMatchObject({
    status: 489,
    body: { code: "job_refused", error: "The campaign is cancelled." },
  });
  expect(cancelled.headers.get("Upstash-NonRetryable-Error")).toBe("true");
  expect(ses.accepted).toHaveLength(0);

  expect(await run("pause", job.campaignId)).toMatch("there is nothing to pause");
  expect(await run("cancel", "misspelt")).toMatch("No e-mail of a campaign misspelt has been sent so far.");
  const file = await campaignFile(job);
  const known = { POSTGRES_URL: url };
  expect((await runCampaign(["publish", file, "--dry-run"], known)).output).toMatch(
    "The campaign is cancelled: its e-mails are not sent until you run",
  );
  expect(await run("resume", job.campaignId)).toMatch("publish the file once more with --again");
  expect(await run("resume", job.campaignId)).toMatch("neither paused nor cancelled");
  expect(await deliver()).toMatchObject({ status: 200, body: { duplicate: false } });
  expect(ses.accepted).toHaveLength(1);
  expect((await runCampaign(["publish", file, "--dry-run"], known)).output).toMatch(
    "1 e-mail of this campaign went out before.",
  );
});

describe("npm run campaign -- cancel", () => {
  const known = { POSTGRES_URL: stack.postgresUrl };
  const campaignOf = async (count: number) => {
    const { campaignId } = jobFor("");
    const address = () => `${crypto.randomUUID()}@example.com`;
    const jobs = Array.from({ length: count }, () => ({ ...jobFor(address()), campaignId }));
    return { campaignId, jobs, file: await campaignFile(...jobs) };
  };

  it("takes the jobs from the queue, so that the next campaign does not wait behind them", async () => {
    const queue = await startQueue();
    const env = { ...known, QUEUE_URL: queue.endpoint };
    const [wrong, next] = [await campaignOf(100), await campaignOf(1)];
    await runCampaign(["publish", wrong.file, "--rate", "1"], env);
    const cancelled = await runCampaign(["cancel", wrong.campaignId], env);
    expect(cancelled.code).toBe(0);
    expect(cancelled.output).toMatch(/^Cancelled\. .* (9\d|100) jobs taken from the queue\. /);
    expect((await runCampaign(["cancel", wrong.campaignId, "--json"], env)).output).toBe(
      `${JSON.stringify({ campaignId: wrong.campaignId, state: "cancelled", removed: 0 })}\n`,
    );
    await runCampaign(["publish", next.file, "--rate", "1"], env);
    const [job] = next.jobs;
    await vi.waitFor(
      async () => expect(await readMailbox(stack.mailboxUrl, job?.recipient.email ?? "")).toHaveLength(1),
      { timeout: 15_000, interval: 200 },
    );
  });

  it("is an error for a campaign that nobody knows, which it does not stop", async () => {
    const queue = await startQueue();
    const refused = await runCampaign(["cancel", "no such"], { ...known, QUEUE_URL: queue.endpoint });
    expect(refused).toEqual({
      code: 1,
      output:
        "There is no campaign 'no such': none of its e-mails was sent, and the queue has none of its jobs. Nothing was cancelled.\n",
    });
    expect((await runCampaign(["status", "no such"], known)).output).not.toMatch("Cancelled since");
  });

  it("cancels a campaign whose jobs are all still on the queue", async () => {
    const queue = await startQueue();
    const env = { ...known, QUEUE_URL: queue.endpoint };
    const { campaignId, file } = await campaignOf(3);
    const other = await campaignOf(1);
    // It never responds, so the queue keeps the jobs.
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    closeAfterTest(() => silent.close().closeAllConnections());
    const toSilent = {
      ...env,
      API_BASE_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    };
    await runCampaign(["publish", file], toSilent);
    await runCampaign(["publish", other.file], toSilent);
    const elsewhere = await runCampaign(["cancel", campaignId], env);
    expect([elsewhere.code, elsewhere.output]).toEqual([1, expect.stringContaining("There is no campaign")]);
    const cancelled = await runCampaign(["cancel", campaignId], toSilent);
    expect([cancelled.code, cancelled.output]).toEqual([
      0,
      expect.stringContaining("3 jobs taken from the queue."),
    ]);
  });

  it("says that the queue could not be asked, and cancels all the same", async () => {
    const { campaignId } = jobFor("");
    const unknown = await runCampaign(["cancel", campaignId], known);
    expect(unknown.code).toBe(1);
    expect(unknown.output).toMatch(
      /If that is its id, it is cancelled\. .* could not be asked: The queue cannot/,
    );
    const again = await runCampaign(["cancel", campaignId], { ...known, QUEUE_TOKEN: "" });
    expect(again.code).toBe(0);
    expect(again.output).toMatch(
      "Its jobs could not be taken from the queue, which drops each one when it delivers it: QUEUE_TOKEN is not set.",
    );
  });
});

it("what was published minutes ago can be published once more", async () => {
  const queue = await startQueue();
  const file = await campaignFile(jobFor(`${crypto.randomUUID()}@example.com`));
  const publish = async (...words: string[]) =>
    (await runCampaign(["publish", file, ...words], { QUEUE_URL: queue.endpoint })).output;
  expect(await publish()).toMatch("Published 1 of 1 job.\n");
  const repeated = await publish();
  expect(repeated).toMatch("(0 new, 1 already queued)");
  expect(repeated).toMatch(`To publish that once more: npm run campaign -- publish ${file} --again`);
  expect(await publish("--again")).toMatch("Published 1 of 1 job.\n");
});
