/** Publishing that is interrupted or whose file changes while it runs. */
import { once } from "node:events";
import { open, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { campaign } from "../../app/commands/campaign";
import { runHere, runProcess } from "../support/app/run-command";
import { makeTestFolder } from "../support/databases/postgres";
import { campaignEnv, campaignFile, jobFor, ndjson } from "../support/email/campaign";
import { closeAfterTest } from "../support/email/test-queue";

const LINES = 5_000;
/** messages in one request */
const BATCH = 100;

const manyJobs = () => Array.from({ length: LINES }, (_, index) => jobFor(`${index}@example.com`));

/** @param onRequest receives the number of the request; if it returns a value, that is the response to each message */
async function startAcceptingQueue(onRequest: (request: number) => unknown) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    const batch: unknown[] = JSON.parse(await text(request));
    const answer = (await onRequest(++requests)) ?? { messageId: "msg" };
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(batch.map(() => answer)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfterTest(() => server.close());
  const env = campaignEnv({ QUEUE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return { env, requests: () => requests };
}

it("an interrupted run prints how to continue, and continuing publishes the rest", async () => {
  const file = await campaignFile(...manyJobs());
  let interrupt = () => {};
  const { env, requests } = await startAcceptingQueue((request) => {
    if (request === 2) interrupt();
  });
  const stopped = await runProcess("campaign", ["publish", file, "--concurrency", "1"], env, (kill) => {
    interrupt = () => kill("SIGINT");
  });
  expect(stopped.code).toBe(1);
  const published = Number(/^Published (\d+) of 5000 jobs\.\n$/.exec(stopped.stdout)?.[1]);
  expect(published).toBe(requests() * BATCH);
  const next = String(published + 1);
  expect(stopped.stderr).toMatch(
    `Publishing was interrupted.\nTo continue: npm run campaign -- publish ${file} --from-line ${next}\n`,
  );
  const rest = await runHere("campaign", campaign, ["publish", file, "--from-line", next], env);
  expect(rest.stdout).toBe(`Published ${LINES - published} of ${LINES - published} jobs.\n`);
  expect(rest.code).toBe(0);
  expect(requests()).toBe(LINES / BATCH);
});

it("the last line is the command to continue with, also if messages were refused", async () => {
  const file = await campaignFile(...manyJobs());
  const { env } = await startAcceptingQueue(() => ({ error: "too large" }));
  const { code, stderr } = await runHere("campaign", campaign, ["publish", file, "--concurrency", "1"], env);
  expect(code).toBe(1);
  // Continuing from a line would leave out the refused ones.
  expect(stderr).toMatch(
    `\nTo publish the refused jobs as well: npm run campaign -- publish ${file}. What was sent is not sent twice.\n`,
  );
});

describe("a file that changes after it was checked", () => {
  /** Publishes a file and changes it during the first request. */
  async function publishWhile(change: (file: string) => Promise<unknown>) {
    const file = await campaignFile(...manyJobs());
    const { env } = await startAcceptingQueue((request) =>
      request === 1 ? change(file).then(() => undefined) : undefined,
    );
    const ended = await runHere("campaign", campaign, ["publish", file, "--concurrency", "2"], env);
    return { ...ended, file };
  }

  it.each([
    ["is deleted", (file: string) => rm(file)],
    ["is moved", (file: string) => rename(file, `${file}.published`)],
    [
      "is replaced",
      async (file: string) => {
        await writeFile(`${file}.new`, "{}");
        await rename(`${file}.new`, file);
      },
    ],
  ])("that %s is published as it was checked", async (_, change) => {
    const { code, stdout } = await publishWhile(change);
    expect(stdout).toBe(`Published ${LINES} of ${LINES} jobs.\n`);
    expect(code).toBe(0);
  });

  it("is published up to the first changed line", async () => {
    const { code, stdout, stderr, file } = await publishWhile(async (path) => {
      const lines = (await readFile(path, "utf8")).split("\n");
      const at = lines.slice(0, LINES - 10).join("\n").length;
      const opened = await open(path, "r+");
      await opened.write("\nno job", at).finally(() => opened.close());
    });
    // A request that was repeated makes some of them "already queued".
    const published = Number(/^Published (\d+) of 5000 jobs(?: \(.+\))?\.\n$/.exec(stdout)?.[1]);
    expect(published, stdout + stderr).toBe(LINES - BATCH);
    expect(stderr).toMatch(
      "The file changed during publishing: some of the published jobs were not checked.\n",
    );
    expect(stderr).toMatch(
      `Line ${LINES - 9} has changed since it was checked.\nTo continue: npm run campaign -- publish ${file}\n`,
    );
    expect(code).toBe(1);
  });

  it("that is truncated is an error", async () => {
    const { code, stdout, stderr } = await publishWhile(async (path) => {
      const half = (await readFile(path, "utf8")).split("\n").slice(0, LINES / 2);
      await truncate(path, half.join("\n").length);
    });
    expect(stdout).toBe(`Published ${LINES / 2} of ${LINES} jobs.\n`);
    expect(stderr).toMatch("The file changed during publishing");
    expect(code).toBe(1);
  });
});

it.each(["SIGINT", "SIGKILL"] as const)(
  "no copy of standard input is left behind after a %s",
  async (signal) => {
    const folder = await makeTestFolder();
    const env = { ...campaignEnv({ QUEUE_URL: "http://127.0.0.1:9" }), TMPDIR: folder };
    // Far more than the pipe's buffer: once it is written, the command has read most of it.
    const input = ndjson(...manyJobs()).repeat(8);
    const ended = await runProcess("campaign", ["publish", "-"], env, (kill, stdin) => {
      stdin.write(input, () => kill(signal));
    });
    expect(ended.signal).toBe(signal);
    expect(await readdir(folder)).toEqual([]);
  },
);
