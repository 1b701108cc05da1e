/** `npm run campaign -- status`: the state of a campaign and of each job in its file. */
import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, inject, it, vi } from "vitest";
import { findGivenUpJobs } from "../../app/campaigns/given-up-jobs.server";
import { cleanup } from "../../app/commands/cleanup";
import { createQueue } from "../../app/providers/queue.server";
import { makeDatabase } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";
import { campaignFile, jobFor, runCampaign } from "../support/email/campaign";
import { closeAfterTest, QUEUE_TOKEN, startQueue } from "../support/email/test-queue";

const stack = inject("stack");

it("reports the state of every job of a file", async () => {
  const queue = await startQueue();
  const campaignId = `Ada's ${crypto.randomUUID()}`;
  const jobs = Array.from({ length: 3 }, (_, index) => ({
    ...jobFor(`${index}-${crypto.randomUUID()}@example.com`),
    campaignId,
  }));
  const file = await campaignFile(...jobs, jobFor("somebody-else@example.com"));
  const account = (...words: string[]) =>
    runCampaign(["status", campaignId, "--file", file, ...words], { POSTGRES_URL: stack.postgresUrl });
  const sentOne = await campaignFile(...jobs.slice(0, 1));
  const published = await runCampaign(["publish", sentOne], { QUEUE_URL: queue.endpoint });
  expect(published.output).toMatch("1 job in ");
  expect(published.output).toMatch(`npm run campaign -- status '${campaignId.replace("'", "'\\''")}'\n`);
  await vi.waitFor(async () => expect((await account()).output).toMatch(/^1 sent, the last on 2/m), {
    timeout: 10_000,
  });
  const { code, output } = await account();
  expect(code).toBe(0);
  expect(output).toMatch(`3 jobs of this campaign in ${file}.`);
  expect(output).toMatch("2 without a record: ");
  expect(output).toMatch("(lines 2, 3)");
  expect(JSON.parse((await account("--json")).output)).toMatchObject({ jobs: 3, sent: 1, unknown: 2 });

  await runCampaign(["publish", file], { QUEUE_URL: queue.endpoint });
  await vi.waitFor(async () => expect((await account()).output).toMatch("Nothing is left to send."), {
    timeout: 10_000,
  });
  const other = await runCampaign(["status", "no such campaign", "--file", file], {
    POSTGRES_URL: stack.postgresUrl,
  });
  expect([other.code, other.output]).toEqual([1, "No job in the file belongs to this campaign.\n"]);
});

/** Records `status` for each of `jobs`, dated `daysAgo`. */
const record = (database: string, jobs: ReturnType<typeof jobFor>[], status: string, daysAgo: number) =>
  query(
    database,
    `INSERT INTO email_deliveries (campaign_id, recipient, status, claim_id, claimed_at, sent_at)
     SELECT campaign, recipient, $3, recipient, claimed, CASE WHEN $3 = 'sent' THEN claimed END
       FROM unnest($1::text[], $2::text[]) AS job (campaign, recipient),
            (SELECT now() AT TIME ZONE 'utc' - $4::float8 * interval '1 day' AS claimed) AS c`,
    [
      jobs.map(({ campaignId }) => campaignId),
      jobs.map(({ recipient }) => recipient.email.toLowerCase()),
      status,
      daysAgo,
    ],
  );
const jobsOf = (campaignId: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...jobFor(`${index}@example.com`), campaignId }));

it("does not call a campaign safe to publish if its records were deleted", async () => {
  const database = await makeDatabase(stack);
  const jobs = jobsOf("spring", 3);
  const file = await campaignFile(...jobs);
  const status = (...words: string[]) =>
    runCampaign(["status", "spring", ...words], { POSTGRES_URL: database });
  await record(database, jobs.slice(0, 2), "sent", 401);
  await record(database, jobs.slice(2), "sent", 1);
  const deleted = await runHere("cleanup", cleanup, [], { POSTGRES_URL: database });
  expect(deleted.stdout).toMatch("deleted 2 rows");

  const some = (await status("--file", file)).output;
  expect(some).toMatch(/^1 sent, the last on /m);
  expect(some).toMatch(
    "2 without a record: the queue has not delivered them yet, or has given up on them (lines 1, 2). Or they were sent: npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS, and POSTGRES_URL may name another database.\n",
  );
  expect(some).toMatch(
    `publish ${file}. What was sent is not sent twice while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS).\n`,
  );

  await query(database, "TRUNCATE email_deliveries");
  const none = (await status("--file", file)).output;
  expect(none).toMatch("No job has a record: ");
  expect(none).toMatch(
    "\nBefore you publish, check the campaign's id, the database, and when it was published: without records, everybody gets the e-mail again.",
  );
  expect(none).not.toMatch("not sent twice");
  expect((await status()).output).toMatch(
    "Or it was sent: npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS",
  );
});

it("names the line of each waiting job, and says what to do", async () => {
  const database = await makeDatabase(stack);
  const jobs = jobsOf("spring", 14);
  const file = await campaignFile(...jobs);
  const status = (...words: string[]) =>
    runCampaign(["status", "spring", "--file", file, ...words], { POSTGRES_URL: database });
  await record(database, jobs.slice(0, 2), "sent", 1);
  // In the reverse order of the file.
  await record(database, jobs.slice(2).reverse(), "claimed", 1);
  const all = (await status()).output;
  expect(all).toMatch(
    "12 waiting to be tried again (lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …): an attempt has started, and is not recorded as sent.\n",
  );
  expect(all).toMatch(
    `If the queue has no more of them: npm run campaign -- publish ${file}. What was sent is not sent twice while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS). Waiting jobs may have been sent.\n`,
  );
  expect(JSON.parse((await status("--json")).output)).toMatchObject({
    waiting: 12,
    waitingLines: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
    unknown: 0,
  });
  await query(
    database,
    "DELETE FROM email_deliveries WHERE recipient <> '0@example.com' AND recipient <> '6@example.com'",
  );
  expect((await status()).output).toMatch("1 waiting to be tried again (line 7): ");
});

it("finds a campaign by its id, whatever its white space", async () => {
  const database = await makeDatabase(stack);
  const written = " spring  sale\t2027 ";
  const jobs = jobsOf(written, 1);
  const file = await campaignFile(...jobs);
  await record(database, jobsOf("spring sale 2027", 1), "sent", 1);
  const status = (...words: string[]) => runCampaign(["status", ...words], { POSTGRES_URL: database });
  for (const id of [written, "spring sale 2027"]) {
    expect((await status(id)).output).toMatch(/^1 sent, /);
    expect((await status(id, "--file", file)).output).toMatch("Nothing is left to send.");
  }
});

/** Starts a webhook. @returns its API_BASE_URL */
async function startWebhook(respond: (response: ServerResponse, body: string) => void): Promise<string> {
  const webhook = createServer(async (request, response) => respond(response, await text(request)));
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  closeAfterTest(() => webhook.close());
  return `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`;
}

it("shows the jobs that the queue has given up on, with its reason and without an address", async () => {
  const queue = await startQueue();
  const database = await makeDatabase(stack);
  const jobs = jobsOf("spring", 4);
  const file = await campaignFile(...jobs);
  const refused = {
    error: "This job can never succeed.",
    code: "job_refused",
    issues: [{ path: "site", message: "is not known to 1@example.com" }],
  };
  const API_BASE_URL = await startWebhook((response, body) => {
    if (body.includes('"1@example.com"'))
      response.writeHead(489, { "Upstash-NonRetryable-Error": "true" }).end(JSON.stringify(refused));
    else response.writeHead(503).end("out of order");
  });
  const env = { API_BASE_URL, QUEUE_URL: queue.endpoint, POSTGRES_URL: database };
  const status = (...words: string[]) => runCampaign(["status", "spring", ...words], env);
  expect((await status()).output).toMatch("There are no records of this campaign");

  // Jobs of another campaign, and what is not a job, do not count.
  const publish = (body: string) =>
    fetch(`${queue.endpoint}/v2/publish/${API_BASE_URL}/api/queue/send-email`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${QUEUE_TOKEN}`,
        "Content-Type": "application/json",
        "Upstash-Retries": "0",
      },
      body,
    });
  await publish(JSON.stringify(jobFor("3@example.com")));
  await publish("no job");
  expect((await runCampaign(["publish", file], env)).output).toMatch("Published 4 of 4 jobs.");
  await vi.waitFor(
    async () => {
      const { givenUp } = JSON.parse((await status("--json")).output);
      expect(givenUp).toHaveLength(4);
    },
    { timeout: 20_000, interval: 200 },
  );
  // Two of them were sent after all, or are being sent; one was begun.
  await record(database, jobs.slice(2, 3), "sent", 1);
  await record(database, jobs.slice(3), "claimed", 1);

  const hashOf = (address: string) => hash("sha256", address).slice(0, 12);
  const byId = await status();
  expect(byId.code).toBe(0);
  expect(byId.output).toMatch("\n3 given up on by the queue, and not sent:\n");
  expect(byId.output).toMatch(`  recipient ${hashOf("0@example.com")}: 503, out of order\n`);
  expect(byId.output).toMatch(
    `  recipient ${hashOf("1@example.com")}: 489, site is not known to [address]\n`,
  );
  expect(byId.output).not.toMatch(/waiting|@/);

  const byFile = await status("--file", file);
  expect(byFile.output).toMatch("1 sent, the last on ");
  expect(byFile.output).toMatch(
    [
      "3 given up on by the queue, and not sent:",
      "  line 1: 503, out of order",
      "  line 2: 489, site is not known to [address]",
      "  line 4: 503, out of order",
      "To send them, remove the cause and publish the file again, with --again within ten minutes: what was sent is not sent twice.\n",
    ].join("\n"),
  );
  expect(byFile.output).not.toMatch(/without a record|waiting|Nothing is left|@/);
  expect(JSON.parse((await status("--file", file, "--json")).output)).toMatchObject({
    jobs: 4,
    sent: 1,
    waiting: 0,
    unknown: 0,
    givenUp: [
      { line: 1, recipientHash: hashOf("0@example.com"), status: 503, reason: "out of order" },
      { line: 2, status: 489 },
      { line: 4, status: 503 },
    ],
    queue: { isAsked: true, isComplete: true },
  });
});

it("looks at every page of what the queue has given up on", async () => {
  const queue = await startQueue();
  const database = await makeDatabase(stack);
  const jobs = jobsOf("spring", 230);
  const API_BASE_URL = await startWebhook((response) =>
    response.writeHead(489, { "Upstash-NonRetryable-Error": "true" }).end(),
  );
  const env = { API_BASE_URL, QUEUE_URL: queue.endpoint, POSTGRES_URL: database };
  await runCampaign(["publish", await campaignFile(...jobs), "--rate", "1000"], env);
  await vi.waitFor(
    async () => {
      const { output } = await runCampaign(["status", "spring"], env);
      expect(output).toMatch("230 given up on by the queue, and not sent:\n");
      expect(output).toMatch("  and 210 more (--json lists all)\n");
    },
    { timeout: 20_000, interval: 200 },
  );
});

it("says that the request to the queue failed, and shows the records all the same", async () => {
  const queue = await startQueue();
  const silent = await startWebhook(() => {});
  const database = await makeDatabase(stack);
  await record(database, jobsOf("spring", 1), "sent", 1);
  const status = (env: Record<string, string>, ...words: string[]) =>
    runCampaign(["status", "spring", ...words], { POSTGRES_URL: database, ...env });
  for (const [env, problem] of [
    [{ QUEUE_TOKEN: "" }, "QUEUE_TOKEN is not set."],
    [{ QUEUE_URL: "http://127.0.0.1:9" }, "The queue cannot be reached: "],
    [{ QUEUE_URL: queue.endpoint, QUEUE_TOKEN: "wrong" }, "The queue does not accept QUEUE_TOKEN (401)"],
    [{ QUEUE_URL: stack.demoUrl }, "The queue "],
    [{ QUEUE_URL: "nonsense" }, "QUEUE_URL is invalid"],
  ] as [Record<string, string>, string][]) {
    const { code, output } = await status(env);
    expect(code).toBe(0);
    expect(output).toContain(`Could not list the jobs that the queue has given up on: ${problem}`);
    expect(output).toMatch(/^1 sent, the last on /m);
    const json = JSON.parse((await status(env, "--json")).output);
    expect(json).toMatchObject({ sent: 1, givenUp: [], queue: { isAsked: false } });
    expect(json.queue.problem).toContain(problem);
  }
  const waited = findGivenUpJobs(createQueue({ url: silent, token: "t" }), "spring", undefined, 300);
  await expect(waited).rejects.toMatchObject({ code: "unavailable" });
});
