/** `npm run dev` for a test file: each test has a state folder and ports of its own, and nothing runs on after it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { type Ports, resolvePorts } from "../../local/addresses";
import { isPortFree } from "../../local/process/ports";
import { commandLineOf } from "../../local/process/process-table";
import type { StackInfo } from "../../local/stack-info";
import { makeTestFolder } from "./postgres";
import { findFreeOffset } from "./stack";

// Two stacks one after the other, on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

export let dataDir: string;
export let ports: Ports;
let offset: number;
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

export interface Dev {
  child: ChildProcess;
  /** resolves when it says that all is up */
  up: Promise<void>;
  ended: Promise<{ code: number | null; output: string }>;
}

/** With --no-app: the app itself is started by the integration tests. */
export function dev(args: string[] = [], env: Record<string, string> = {}): Dev {
  const command = fileURLToPath(new URL("../../local/dev.ts", import.meta.url));
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

export async function readInfo(): Promise<StackInfo> {
  return JSON.parse(await readFile(join(dataDir, "stack.json"), "utf8"));
}

/** The id of PostgreSQL's own process. */
export async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

export async function expectNothingRuns(postgresPid: number): Promise<void> {
  await expect.poll(() => commandLineOf(postgresPid), { timeout: 10_000 }).toBeUndefined();
  const used = [ports.postgres, ports.objectStore, ports.mailbox, ports.dataApi, ports.queue];
  await expect.poll(() => Promise.all(used.map(isPortFree))).toEqual(used.map(() => true));
}
