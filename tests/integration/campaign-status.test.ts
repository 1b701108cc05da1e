/** `npm run campaign -- status`: the state of a campaign and of each job in its file. */
import { expect, inject, it, vi } from "vitest";
import { cleanup } from "../../app/commands/cleanup";
import { makeDatabase } from "../support/app/deployment";
import { runHere } from "../support/app/run-command";
import { query } from "../support/databases/postgres";
import { campaignFile, jobFor, runCampaign } from "../support/email/campaign";
import { startQueue } from "../support/email/test-queue";

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
    "2 without a record: the queue has not delivered them yet, or has given up (lines 1, 2). Or they were sent: npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS, and POSTGRES_URL may name another database.\n",
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

it("names the line of each unfinished job, and says what to do", async () => {
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
    "12 started but not recorded as sent: the queue will retry them unless it has given up (lines 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …).\n",
  );
  expect(all).toMatch(
    `If the queue has no more of them: npm run campaign -- publish ${file}. What was sent is not sent twice while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS). Started jobs may have been sent.\n`,
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
  expect((await status()).output).toMatch("given up (line 7).\n");
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
