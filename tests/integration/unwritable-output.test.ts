/** A log or a disk that takes nothing: the server goes on serving, and commands say so and exit with 1. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { afterEach, describe, expect, inject, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { deploymentEnv, makeDatabase } from "../support/app/deployment";
import { makeTestFolder } from "../support/databases/postgres";
import { findFreePort } from "../support/machine/free-port";
import { isCi } from "../support/machine/installed";
import { mountSmallDisk } from "../support/machine/small-disk";

const stack = inject("stack");
const root = fileURLToPath(new URL("../..", import.meta.url));
const METRICS_TOKEN = "a-token-for-the-metrics";
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function start(command: string, words: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, words, { cwd: root, ...options });
  closers.push(() => child.kill("SIGKILL"));
  return child;
}

/** Starts what `npm start` runs. @param output where standard output and standard error go, as a shell writes it; pipes without it */
async function startServer(output?: string) {
  const port = String(await findFreePort());
  const env = { ...deploymentEnv(stack, stack.postgresUrl), PORT: port, HOST: "127.0.0.1", METRICS_TOKEN };
  const base = `http://127.0.0.1:${port}`;
  const words = packageJson.scripts.start.split(" ").slice(1);
  const child = output
    ? start("sh", ["-c", `exec "$0" "$@" ${output}`, process.execPath, ...words], {
        stdio: "ignore",
        env: { ...env, API_BASE_URL: base, WORKER: "separate" },
      })
    : start(process.execPath, words, {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...env, API_BASE_URL: base, WORKER: "separate" },
      });
  const status = (path = "/healthz") =>
    fetch(base + path).then(
      (response) => response.status,
      () => 0,
    );
  const ask = async (times: number) => {
    const statuses = new Set<number>();
    for (let count = 0; count < times; count++) statuses.add(await status());
    return [...statuses];
  };
  return {
    base,
    child,
    /** the distinct statuses of that many requests */
    ask,
    untilReady: () => expect.poll(() => status(), { timeout: 45_000 }).toBe(200),
    async lost(): Promise<number> {
      const response = await fetch(`${base}/metrics`, {
        headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
      });
      const [, lost] = /^platform_embed_log_lines_lost_total (\d+)$/m.exec(await response.text()) ?? [];
      return Number(lost);
    },
    async end(): Promise<number | null> {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}

const linesOf = (log: string) =>
  log
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line.slice(line.lastIndexOf('{"time"'))) as Record<string, unknown>);

describe("the server goes on serving, and counts the lines that it loses,", () => {
  it("while the disk of its log is full", async () => {
    const server = await startServer(">/dev/full 2>&1");
    await server.untilReady();
    expect(await server.ask(20)).toEqual([200]);
    // An error, which is logged to standard error.
    expect((await fetch(`${server.base}/embed/files`)).status).toBeGreaterThanOrEqual(400);
    expect(await server.lost()).toBeGreaterThan(20);
    expect(await server.end()).toBe(0);
  });

  it("while nobody reads its log any more, and reports them to the next reader", async () => {
    const pipe = join(await makeTestFolder(), "log");
    expect(start("mkfifo", [pipe], {}).pid).toBeDefined();
    await expect.poll(() => readdirSync(join(pipe, ".."))).toEqual(["log"]);
    const server = await startServer(`>"${pipe}" 2>&1`);
    const first = start("cat", [pipe], { stdio: "ignore" });
    await server.untilReady();
    const gone = once(first, "exit");
    first.kill("SIGKILL");
    await gone;
    expect(await server.ask(20)).toEqual([200]);
    const lost = await server.lost();
    expect(lost).toBeGreaterThanOrEqual(20);

    const second = start("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
    let log = "";
    second.stdout?.on("data", (chunk: Buffer) => {
      log += chunk;
    });
    await expect
      .poll(async () => {
        await server.ask(1);
        return linesOf(log).filter((line) => "lost" in line).length;
      })
      .toBe(1);
    await server.ask(5);
    const reports = linesOf(log).filter((line) => "lost" in line);
    expect(reports).toEqual([
      {
        time: expect.any(String),
        level: "warn",
        message: expect.stringMatching(/^\d+ lines of the log could not be written here, and are lost\.$/),
        lost: await server.lost(),
      },
    ]);
    expect(await server.end()).toBe(0);
  });

  it("while the reader of its log pauses, with bounded memory", async () => {
    const server = await startServer();
    await server.untilReady();
    // A route with a long name, so that few requests make much log; and a request id as long as one may be.
    const requestId = "hammer-".padEnd(36, "x");
    const BATCH = 500;
    const hammer = async () => {
      const result = await autocannon({
        url: `${server.base}/api/cluster/databases/id/credentials/user/rotate`,
        amount: BATCH,
        connections: 20,
        // seconds; the machine may be busy
        timeout: 60,
        headers: { "X-Request-Id": requestId },
      });
      expect(result).toMatchObject({ "4xx": BATCH, errors: 0, statusCodeStats: { 405: { count: BATCH } } });
      return BATCH;
    };
    let sent = 0;
    // Until what the operating system keeps is full, and what the process may keep.
    while ((await server.lost()) === 0) {
      sent += await hammer();
      expect(sent).toBeLessThan(30_000);
    }
    sent += await hammer();
    let log = "";
    server.child.stdout?.on("data", (chunk: Buffer) => {
      log += chunk;
    });
    const reported = async () => {
      await server.ask(1);
      return linesOf(log).filter((line) => "lost" in line).length;
    };
    await expect.poll(reported).toBe(1);
    const lines = linesOf(log);
    // Nothing is missing without being counted. Requests for metrics have other ids.
    const lost = await server.lost();
    expect(lost).toBeGreaterThanOrEqual(BATCH);
    const read = lines.filter((line) => line.requestId === requestId).length;
    expect(read).toBeLessThan(sent);
    expect(read + lost).toBeGreaterThanOrEqual(sent);
    expect(lines.filter(({ lost }) => lost !== undefined)).toMatchObject([{ lost }]);
    expect(await server.end()).toBe(0);
  }, 120_000);
});

const smallDisk = () => {
  const disk = mountSmallDisk(64);
  if (disk) closers.push(() => disk.remove());
  return disk;
};

it("reports the loss as soon as the disk has room again", async ({ skip }) => {
  const disk = smallDisk();
  if (disk === undefined)
    return isCi ? expect.fail("Tests may not mount a disk here.") : skip("No right to mount.");
  const log = join(disk.folder, "log");
  const server = await startServer(`>>"${log}" 2>&1`);
  await server.untilReady();
  await expect
    .poll(async () => {
      expect(await server.ask(100)).toEqual([200]);
      return server.lost();
    })
    .toBeGreaterThan(0);
  truncateSync(log);
  await server.ask(3);
  const lost = await server.lost();
  const lines = linesOf(readFileSync(log, "utf8"));
  expect(lines[0]).toMatchObject({ level: "warn", lost });
  expect(lines.length).toBeGreaterThan(3);
  expect(await server.end()).toBe(0);
});

describe("a command", () => {
  const run = async (line: string, env: Record<string, string> = {}) => {
    const child = start("sh", ["-c", line, process.execPath], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...deploymentEnv(stack, await makeDatabase(stack)), ...env },
    });
    const [stdout, stderr, [code]] = await Promise.all([
      child.stdout ? text(child.stdout) : "",
      child.stderr ? text(child.stderr) : "",
      once(child, "close"),
    ]);
    return { code, stdout, stderr };
  };

  it("whose result does not fit on the disk says so, and exits with 1", async () => {
    for (const words of [
      "client.js list",
      "client.js list --json",
      "events.js export --format csv",
      "doctor.js",
    ]) {
      const { code, stderr } = await run(`"$0" build/commands/${words} >/dev/full`);
      expect([code, stderr], words).toEqual([1, expect.stringContaining("ENOSPC")]);
    }
  });

  it("whose reader wants no more ends as it would have", async () => {
    for (const words of ["client.js list", "client.js --help", "events.js list", "doctor.js"]) {
      const { stdout, stderr } = await run(`("$0" build/commands/${words}; echo $? >&2) | true`);
      expect([stdout, stderr], words).toEqual(["", "0\n"]);
    }
  });

  it("that runs until it is stopped goes on without its log", async () => {
    // Not a database: every second the worker fails to connect. The first failures are logged.
    let connections = 0;
    const refusing = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    closers.push(() => refusing.close());
    await once(refusing, "listening");
    const { port } = refusing.address() as AddressInfo;
    const line = 'exec "$0" build/commands/worker.js >/dev/full 2>&1';
    const child = start("sh", ["-c", line, process.execPath], {
      stdio: "ignore",
      env: deploymentEnv(stack, `postgresql://nobody@127.0.0.1:${port}/none`),
    });
    await expect.poll(() => connections).toBeGreaterThan(5);
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("whose file does not fit on the disk leaves none that looks whole", async ({ skip }) => {
    const disk = smallDisk();
    if (disk === undefined)
      return isCi ? expect.fail("Tests may not mount a disk here.") : skip("No right to mount.");
    writeFileSync(join(disk.folder, "ballast"), Buffer.alloc(60 * 1024));
    const list = join(await makeTestFolder(), "list.csv");
    writeFileSync(list, `email,text\n${`ada@example.com,${"x".repeat(500)}\n`}`);
    for (let row = 0; row < 100; row++) appendFileSync(list, `a${row}@example.com,${"x".repeat(500)}\n`);
    const template = join(list, "..", "template.json");
    writeFileSync(
      template,
      JSON.stringify({
        campaignId: "spring",
        site: { subject: "Spring" },
        branding: { siteName: "Northwind" },
        body: "{{text}}",
      }),
    );
    const out = join(disk.folder, "campaign.ndjson");
    const made = await run(
      `"$0" build/commands/campaign.js from-csv "${list}" --template "${template}" --out "${out}"`,
    );
    expect([made.code, made.stderr]).toEqual([1, expect.stringMatching(/^(?!.*at ).*ENOSPC/s)]);
    expect(readdirSync(disk.folder)).toEqual(["ballast"]);
  });
});
