/** Publishing that does not come to its end, or whose file does not stay as it was: what it says, and what it leaves behind. */
import { once } from "node:events";
import { open, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { campaign } from "../../app/commands/campaign";
import { campaignEnv, campaignFile, jobFor, ndjson } from "../support/campaign";
import { makeTestFolder } from "../support/postgres";
import { runHere, runProcess } from "../support/run-command";
import { closeAfterTest } from "../support/test-queue";

const LINES = 5_000;
/** of a request */
const BATCH = 100;

const manyJobs = () => Array.from({ length: LINES }, (_, index) => jobFor(`${index}@example.com`));

/** A queue that takes everything, unless told. @param onRequest gets the number of the request, and may answer each message */
async function startTakingQueue(onRequest: (request: number) => unknown) {
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

it("a run that is told to stop says where to go on, and going on publishes the rest", async () => {
  const file = await campaignFile(...manyJobs());
  let interrupt = () => {};
  const { env, requests } = await startTakingQueue((request) => {
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
    `It was stopped.\nTo go on: npm run campaign -- publish ${file} --from-line ${next}\n`,
  );
  const rest = await runHere("campaign", campaign, ["publish", file, "--from-line", next], env);
  expect(rest.stdout).toBe(`Published ${LINES - published} of ${LINES - published} jobs.\n`);
  expect(rest.code).toBe(0);
  expect(requests()).toBe(LINES / BATCH);
});

it("the command to go on with is the last line, also where messages were refused", async () => {
  const file = await campaignFile(...manyJobs());
  const { env } = await startTakingQueue(() => ({ error: "too large" }));
  const { code, stderr } = await runHere("campaign", campaign, ["publish", file, "--concurrency", "1"], env);
  expect(code).toBe(1);
  expect(stderr).toMatch("To try again what was refused, run the same once more");
  expect(stderr).toMatch(new RegExp(`\nTo go on: npm run campaign -- publish ${file} --from-line 301\n$`));
});

describe("a file that does not stay as it was checked", () => {
  /** Publishes a file to which `change` is done with the first request. */
  async function publishWhile(change: (file: string) => Promise<unknown>) {
    const file = await campaignFile(...manyJobs());
    const { env } = await startTakingQueue((request) =>
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
  ])("that %s is published as it was checked, and the summary says so", async (_, change) => {
    const { code, stdout, stderr } = await publishWhile(change);
    expect(stdout).toBe(`Published ${LINES} of ${LINES} jobs.\n`);
    expect(stderr).toMatch(
      "The file was moved or replaced meanwhile: what was published is what was checked.",
    );
    expect(code).toBe(0);
  });

  it("of which a later line has changed is published up to there, and the summary says where to go on", async () => {
    const { code, stdout, stderr, file } = await publishWhile(async (path) => {
      const lines = (await readFile(path, "utf8")).split("\n");
      const at = lines.slice(0, LINES - 10).join("\n").length;
      const opened = await open(path, "r+");
      await opened.write("\nno job", at).finally(() => opened.close());
    });
    const published = Number(/^Published (\d+) of 5000 jobs\.\n$/.exec(stdout)?.[1]);
    expect(published).toBe(LINES - BATCH);
    expect(stderr).toMatch(
      "The file has changed meanwhile: what was published may not be what was checked.\n",
    );
    expect(stderr).toMatch(
      `Line ${LINES - 9} has changed since it was checked.\nLines are numbered as the file was. Where they have moved, leave out --from-line: what was sent is not sent twice.\nTo go on: npm run campaign -- publish ${file} --from-line ${published + 1}\n`,
    );
    expect(code).toBe(1);
  });

  it("that was cut short is no success", async () => {
    const { code, stdout, stderr } = await publishWhile(async (path) => {
      const half = (await readFile(path, "utf8")).split("\n").slice(0, LINES / 2);
      await truncate(path, half.join("\n").length);
    });
    expect(stdout).toBe(`Published ${LINES / 2} of ${LINES} jobs.\n`);
    expect(stderr).toMatch("The file has changed meanwhile");
    expect(code).toBe(1);
  });
});

it.each(["SIGINT", "SIGKILL"] as const)(
  "nothing of standard input is left behind by a %s while it is copied",
  async (signal) => {
    const folder = await makeTestFolder();
    const env = { ...campaignEnv({ QUEUE_URL: "http://127.0.0.1:9" }), TMPDIR: folder };
    // Far more than the pipe holds: once it is written, most of it has been read.
    const input = ndjson(...manyJobs()).repeat(8);
    const ended = await runProcess("campaign", ["publish", "-"], env, (kill, stdin) => {
      stdin.write(input, () => kill(signal));
    });
    expect(ended.signal).toBe(signal);
    expect(await readdir(folder)).toEqual([]);
  },
);
