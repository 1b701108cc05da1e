/** Campaigns end to end: the command, the local queue, the webhook and the mailbox. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, inject, it, onTestFinished, vi } from "vitest";
import { campaign } from "../../app/commands/campaign";
import { runHere, runProcess } from "../support/app/run-command";
import { makeTestFolder } from "../support/databases/postgres";
import { campaignEnv, campaignFile, jobFor, runCampaign } from "../support/email/campaign";
import { readMailbox } from "../support/email/mailbox";
import { startQueue } from "../support/email/test-queue";

const stack = inject("stack");

it("a campaign that is published several times arrives once in each mailbox", async () => {
  const queue = await startQueue();
  const addresses = Array.from({ length: 12 }, () => `${crypto.randomUUID()}@example.com`);
  const file = await campaignFile(...addresses.map(jobFor));
  const env = { QUEUE_URL: queue.endpoint };
  const first = await runProcess("campaign", ["publish", file], campaignEnv(env));
  expect(first.stderr).toMatch("12 jobs in");
  expect(first.stderr).toMatch("12 of 12 published");
  expect(first.stderr).toMatch("At the maximum rate of 14 per second, sending the new ones takes about 1 s.");
  expect(first.stdout).toBe("Published 12 of 12 jobs.\n");
  expect(first.code).toBe(0);
  // The second queue does not know the first one's messages, so only the webhook can prevent duplicates.
  const again = await runCampaign(["publish", file], { QUEUE_URL: (await startQueue()).endpoint });
  expect(again.code).toBe(0);
  await vi.waitFor(
    async () => {
      for (const address of addresses) expect(await readMailbox(stack.mailboxUrl, address)).toHaveLength(1);
    },
    { timeout: 20_000, interval: 200 },
  );
});

it("standard input is published like a file, and no copy of it is left behind", async () => {
  const queue = await startQueue();
  const lines = Array.from({ length: 3 }, () => JSON.stringify(jobFor(`${crypto.randomUUID()}@example.com`)));
  const folder = await makeTestFolder();
  vi.stubEnv("TMPDIR", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = campaignEnv({ QUEUE_URL: queue.endpoint });
  // A pipe delivers chunks, which may split a line.
  const pipe = (text: string) =>
    Readable.from([text.slice(0, 50), text.slice(50)].map((piece) => Buffer.from(piece)));
  const { code, stdout, stderr } = await runHere(
    "campaign",
    campaign,
    ["publish", "-"],
    env,
    pipe(lines.join("\n")),
  );
  expect([code, stdout]).toEqual([0, "Published 3 of 3 jobs.\n"]);
  expect(stderr).toMatch("3 jobs in the input.");

  const wrong = await runHere("campaign", campaign, ["publish", "-"], env, pipe(`${lines[0]}\nnot json`));
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("line 2: must be JSON")]);
  const empty = await runHere("campaign", campaign, ["publish", "-"], env, pipe(""));
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining("the file contains no job")]);
  expect(await readdir(folder)).toEqual([]);
});

it("nothing is published when a line is wrong", async () => {
  const { code, output } = await runCampaign(
    ["publish", await campaignFile(jobFor("ada@example.com"), { ...jobFor("x@example.com"), site: {} })],
    { QUEUE_URL: "http://127.0.0.1:9" },
  );
  expect(code).toBe(1);
  expect(output).toMatch("Nothing was published");
  expect(output).toMatch("line 2: site.subject");
});

it("a wrong token is reported in a sentence", async () => {
  const queue = await startQueue();
  const env = { QUEUE_URL: queue.endpoint, QUEUE_TOKEN: "wrong-token" };
  const file = await campaignFile(jobFor("ada@example.com"));
  const { code, output } = await runCampaign(["publish", file, "--rate", "5"], env);
  expect(code).toBe(1);
  expect(output).toMatch("Published 0 of 1 job.");
  expect(output).toMatch("The queue does not accept QUEUE_TOKEN (401): The token is invalid.");
  expect(output).toMatch(`To continue: npm run campaign -- publish ${file} --from-line 1 --rate 5\n`);
  expect(output).not.toMatch("wrong-token");
});

it("publishing again reports messages that are already queued, and status reports progress", async () => {
  const queue = await startQueue();
  const job = jobFor(`${crypto.randomUUID()}@example.com`);
  const file = await campaignFile(job);
  const env = { QUEUE_URL: queue.endpoint };
  await runCampaign(["publish", file], env);
  const again = await runCampaign(["publish", file], env);
  expect(again.output).toMatch("Published 1 of 1 job (0 new, 1 already queued).");
  // A corrected job is a new message, but its recipient still gets only one e-mail.
  await writeFile(file, JSON.stringify({ ...job, site: { subject: "Corrected" } }));
  expect((await runCampaign(["publish", file], env)).output).toMatch("Published 1 of 1 job.");

  const status = (...words: string[]) =>
    runCampaign(["status", ...words], { POSTGRES_URL: stack.postgresUrl });
  await vi.waitFor(
    async () => expect((await status(job.campaignId)).output).toMatch(/^1 sent, the last on 2/),
    {
      timeout: 10_000,
    },
  );
  expect(JSON.parse((await status(job.campaignId, "--json")).output)).toMatchObject({ sent: 1, waiting: 0 });
  const unknown = await status("no such campaign");
  expect(unknown.code).toBe(1);
  expect(unknown.output).toMatch("There are no records of this campaign");
});

it("unreadable files and unknown members are reported in sentences", async () => {
  const folder = await makeTestFolder();
  const publish = (...words: string[]) => runCampaign(["publish", "--dry-run", ...words], {});
  expect((await publish(join(folder, "none.ndjson"))).output).toMatch(/^There is no file .+none\.ndjson\.$/m);
  expect((await publish(folder)).output).toMatch(`${folder} is a folder.`);
  const job = {
    ...jobFor("ada@example.com"),
    featuredProduct: [],
    featuredProducts: [{ name: "A", cost: "1" }],
  };
  const { code, output } = await publish(await campaignFile(jobFor("grace@example.com"), job));
  expect(code).toBe(0);
  expect(output).toMatch("  line 2: featuredProduct: jobs have no such member, so it is ignored\n");
  expect(output).toMatch("  line 2: featuredProducts.cost: jobs have no such member");
});
