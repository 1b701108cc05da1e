/** The whole path of a campaign: the command, the local queue, the webhook, the mailbox. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, inject, it, vi } from "vitest";
import { campaign } from "../../app/commands/campaign";
import type { LocalServer } from "../../local/listen";
import { startLocalQueue } from "../../local/queue";
import { findFreePort } from "../support/free-port";
import { readMailbox } from "../support/mailbox";
import { makeTestFolder } from "../support/postgres";
import { runHere, runProcess } from "../support/run-command";

const stack = inject("stack");
const TOKEN = "publish-token";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function startQueue(
  signingKey = stack.queue.currentSigningKey,
): Promise<LocalServer & { log: string[] }> {
  const log: string[] = [];
  const queue = await startLocalQueue({
    port: await findFreePort(),
    token: TOKEN,
    signingKey,
    pauses: [0.1, 0.1, 0.1],
    log: (text) => log.push(text),
  });
  closers.push(queue.close);
  return { ...queue, log };
}

const campaignEnv = (env: Record<string, string>) => ({
  API_BASE_URL: stack.apiBaseUrl,
  QUEUE_TOKEN: TOKEN,
  ...env,
});
/** `npm run campaign -- …words` in this process */
async function runCampaign(words: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await runHere("campaign", campaign, words, campaignEnv(env));
  return { code, output: stdout + stderr };
}

const jobFor = (email: string) => ({
  recipient: { email, name: "Ada", unsubscribeToken: "t" },
  campaignId: crypto.randomUUID(),
  site: { subject: "Spring" },
  branding: { siteName: "Northwind", siteUrl: "https://northwind.example" },
});
const campaignFile = async (...lines: (object | string)[]) => {
  const file = join(await makeTestFolder(), "campaign.ndjson");
  await writeFile(
    file,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  return file;
};

it("a published campaign arrives in the mailbox, once for everybody, however often it is published", async () => {
  const queue = await startQueue();
  const addresses = Array.from({ length: 12 }, () => `${crypto.randomUUID()}@example.com`);
  const file = await campaignFile(...addresses.map(jobFor));
  const env = { QUEUE_URL: queue.endpoint };
  const first = await runProcess("campaign", ["publish", file], campaignEnv(env));
  expect(first.stderr).toMatch("12 jobs in");
  expect(first.stderr).toMatch("12 of 12 published");
  expect(first.stdout).toBe("Published 12 of 12 jobs.\n");
  expect(first.code).toBe(0);
  // Another queue knows nothing of the first: what sends once is the webhook.
  const again = await runCampaign(["publish", file], { QUEUE_URL: (await startQueue()).endpoint });
  expect(again.code).toBe(0);
  await vi.waitFor(
    async () => {
      for (const address of addresses) expect(await readMailbox(stack.mailboxUrl, address)).toHaveLength(1);
    },
    { timeout: 20_000, interval: 200 },
  );
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

it("a wrong token is said in a sentence", async () => {
  const queue = await startQueue();
  const env = { QUEUE_URL: queue.endpoint, QUEUE_TOKEN: "wrong-token" };
  const { code, output } = await runCampaign(["publish", await campaignFile(jobFor("ada@example.com"))], env);
  expect(code).toBe(1);
  expect(output).toMatch("line 1: The queue does not accept QUEUE_TOKEN.");
  expect(output).not.toMatch("wrong-token");
});

it("the queue delivers again while the webhook asks for it, and gives up what can never succeed", async () => {
  const statuses = [503, 500, 200];
  const retried: unknown[] = [];
  const webhook = createServer((request, response) => {
    retried.push(request.headers["upstash-retried"]);
    request.resume();
    response.writeHead(statuses.shift() ?? 200).end();
  });
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  closers.push(() => webhook.close());
  const queue = await startQueue();
  const publish = (destination: string, body: string) =>
    fetch(`${queue.endpoint}/v2/publish/${destination}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${TOKEN}` },
      body,
    });
  await publish(`http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`, "{}");
  await vi.waitFor(() => expect(retried).toEqual(["0", "1", "2"]), { timeout: 10_000 });

  await publish(`${stack.apiBaseUrl}/api/queue/send-email`, '{"campaignId":"x"}');
  await vi.waitFor(() => expect(queue.log.at(-1)).toMatch(/answered with 489 and is given up/), {
    timeout: 10_000,
  });

  const impostor = await startQueue("sig_wrong");
  await fetch(`${impostor.endpoint}/v2/publish/${stack.apiBaseUrl}/api/queue/send-email`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify(jobFor("ada@example.com")),
  });
  await vi.waitFor(() => expect(impostor.log.at(-1)).toMatch(/answered with 401 and is given up/), {
    timeout: 10_000,
  });
});
