/** `npm run dev` as a person meets it. With --no-app: the app itself is started by the integration tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeTestFolder, query } from "../tests/support/postgres";
import { findFreeOffset } from "../tests/support/stack";
import { type Ports, resolvePorts } from "./addresses";
import { isPortFree } from "./process/ports";
import { commandLineOf } from "./process/process-table";
import type { StackInfo } from "./stack-info";

// Two stacks one after the other, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

let dataDir: string;
let offset: number;
let ports: Ports;
let started: ChildProcess[];

beforeEach(async () => {
  dataDir = await makeTestFolder();
  offset = await findFreeOffset();
  ports = resolvePorts(offset);
  started = [];
});

afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "close");
  }
  await rm(dataDir, { recursive: true, force: true });
});

interface Dev {
  child: ChildProcess;
  /** resolves when it says that all is up */
  up: Promise<void>;
  ended: Promise<{ code: number | null; output: string }>;
}

function dev(args: string[] = [], env: Record<string, string> = {}): Dev {
  const command = fileURLToPath(new URL("dev.ts", import.meta.url));
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), command, "--no-app", ...args],
    {
      env: { ...process.env, LOCAL_STATE_DIR: dataDir, LOCAL_PORT_OFFSET: String(offset), PORT: "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  started.push(child);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const up = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => String(chunk).includes("Ctrl-C stops it") && resolve());
    child.once("close", () => reject(new Error("It ended before all was up.")));
  });
  up.catch(() => {});
  const ended = Promise.all([once(child, "close"), output]).then(([[code], texts]) => ({
    code,
    output: texts.join(""),
  }));
  return { child, up, ended };
}

async function readInfo(): Promise<StackInfo> {
  return JSON.parse(await readFile(join(dataDir, "stack.json"), "utf8"));
}

async function listKeys({ objectStore }: StackInfo): Promise<string[]> {
  const client = new S3Client({ ...objectStore, forcePathStyle: true, credentials: { ...objectStore } });
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: objectStore.bucket }));
  client.destroy();
  return Contents.map(({ Key = "" }) => Key);
}

/** PostgreSQL's own process and its keeper, by the data folder in their command lines. */
async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

async function expectNothingRuns(postgresPid: number): Promise<void> {
  await expect.poll(() => commandLineOf(postgresPid), { timeout: 10_000 }).toBeUndefined();
  const used = [ports.postgres, ports.objectStore, ports.mailbox, ports.dataApi, ports.queue];
  await expect.poll(() => Promise.all(used.map(isPortFree))).toEqual(used.map(() => true));
}

describe("npm run dev", () => {
  it("writes .local/stack.json for its owner alone, and keeps data and keys over a restart", async () => {
    const first = dev();
    await first.up;
    expect((await stat(join(dataDir, "stack.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
    const info = await readInfo();
    const keys = await listKeys(info);
    // One that is kept in the repository, and one that is made.
    expect(keys).toContain("Photos/Café façade.png");
    expect(keys).toContain("Delivery notes/2026/2026-064 Delivery note.txt");
    await query(info.postgresUrl, `UPDATE companies SET name = 'Renamed'`);

    const pid = await postmaster();
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(0);
    await expectNothingRuns(pid);
    expect(existsSync(join(dataDir, "stack.json"))).toBe(false);

    await dev().up;
    expect(await readInfo()).toEqual(info);
    expect(await listKeys(info)).toEqual(keys);
    expect(await query(info.postgresUrl, `SELECT id, name FROM companies`)).toEqual([
      { id: info.demoClient.companyId, name: "Renamed" },
    ]);
    expect(await query(info.postgresUrl, `SELECT id, allowed_origins FROM embed_clients`)).toEqual([
      { id: info.demoClient.id, allowed_origins: [info.demoUrl] },
    ]);
  });

  it("forgets everything with --fresh", async () => {
    const first = dev();
    await first.up;
    const before = await readInfo();
    await query(before.postgresUrl, `UPDATE companies SET name = 'Renamed'`);
    first.child.kill("SIGTERM");
    await first.ended;

    await dev(["--fresh"]).up;
    const after = await readInfo();
    expect(after.demoClient.apiKey).not.toBe(before.demoClient.apiKey);
    expect(await query(after.postgresUrl, `SELECT name FROM companies`)).toEqual([
      { name: "Northwind Traders" },
    ]);
  });

  it.each(["SIGHUP", "SIGKILL"] as const)("leaves nothing running after %s", async (signal) => {
    const { child, up, ended } = dev();
    await up;
    const pid = await postmaster();
    child.kill(signal);
    const { code } = await ended;
    expect(code).toBe(signal === "SIGKILL" ? null : 0);
    await expectNothingRuns(pid);
  });

  it("gives up a start that is interrupted", async () => {
    const { child, ended } = dev();
    child.stdout?.once("data", () => child.kill("SIGINT"));
    expect((await ended).code).toBe(0);
    expect(await isPortFree(ports.postgres)).toBe(true);
  });

  it("names the part that crashed, and stops the others", async () => {
    const { up, ended } = dev();
    await up;
    const pid = await postmaster();
    process.kill(pid, "SIGKILL");
    const { code, output } = await ended;
    expect(code).toBe(1);
    expect(output).toContain("PostgreSQL ended by itself, so everything else is stopped.");
    await expectNothingRuns(pid);
  });

  it("says which port is taken, by whom it is needed and what to do", async () => {
    const squatter = createServer().listen(ports.mailbox, "127.0.0.1");
    await once(squatter, "listening");
    const { code, output } = await dev().ended;
    squatter.close();
    expect(code).toBe(1);
    expect(output).toContain(
      `Port ${ports.mailbox}, which the mailbox needs, is taken. Stop what listens there, or choose other ports with LOCAL_PORT_OFFSET=`,
    );
    expect(await isPortFree(ports.postgres)).toBe(true);
  });

  it("refuses to run twice on one folder, and leaves the first alone", async () => {
    const first = dev();
    await first.up;
    const { code, output } = await dev([], { LOCAL_PORT_OFFSET: String(await findFreeOffset()) }).ended;
    expect(code).toBe(1);
    expect(output).toContain(`already running here (process ${first.child.pid})`);
    await query((await readInfo()).postgresUrl, "SELECT 1");
  });

  it("lets a real database take the place of its own, migrated and seeded", async () => {
    const first = dev();
    await first.up;
    const { postgresUrl } = await readInfo();
    await query(postgresUrl, "CREATE DATABASE real");
    const real = postgresUrl.replace(/\/platform$/, "/real");

    const other = await makeTestFolder();
    const second = resolvePorts(await findFreeOffset());
    const env = {
      POSTGRES_URL: real,
      LOCAL_STATE_DIR: other,
      LOCAL_PORT_OFFSET: String(second.postgres - 54320),
    };
    await dev([], env).up;
    expect(await isPortFree(second.postgres)).toBe(true);
    expect(await query(real, `SELECT name FROM companies`)).toEqual([{ name: "Northwind Traders" }]);
    await rm(other, { recursive: true, force: true });
  });

  it("says what to do when its secrets are lost", async () => {
    await writeFile(join(dataDir, "postgres.location"), "/somewhere\n");
    const { code, output } = await dev().ended;
    expect(code).toBe(1);
    expect(output).toMatch(/secrets\.json is gone.*--fresh/);
    await dev(["--fresh"]).up;
  });

  it("refuses settings that the app would refuse, before it starts anything", async () => {
    const { code, output } = await dev([], { POSTGRES_POOL_SIZE: "many" }).ended;
    expect(code).toBe(1);
    expect(output).toContain("POSTGRES_POOL_SIZE");
    expect(existsSync(join(dataDir, "postgres"))).toBe(false);
  });

  it("explains itself", async () => {
    const { code, output } = await dev(["--help"]).ended;
    expect(code).toBe(0);
    expect(output).toMatch(/--fresh[\s\S]*LOCAL_PORT_OFFSET/);
  });
});
