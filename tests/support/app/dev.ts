/** Runs `npm run dev` for a test file. Each test has its own state folder and ports, and stops every process that it started. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { isPortFree, type Ports, resolvePorts } from "../../../local/addresses";
import { commandLineOf } from "../../../local/process/process-table";
import type { StackInfo } from "../../../local/stack-info";
import { makeTestFolder } from "../databases/postgres";
import { findFreeOffset } from "./stack";

// A test may start two stacks in turn on a machine that is busy with other tests.
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
  /** resolves when the command prints that everything is ready */
  up: Promise<void>;
  ended: Promise<{ code: number | null; output: string }>;
}

/** Runs it with --no-app: other integration tests start the app itself. The child is the command itself, without npm. */
export function dev(args: string[] = [], env: Record<string, string> = {}): Dev {
  const command = fileURLToPath(new URL("../../../local/dev.ts", import.meta.url));
  const words = ["--import", import.meta.resolve("tsx"), command, "--no-app", ...args];
  return start(process.execPath, words, env);
}

/** The same with npm, as a person runs it. The child is npm. */
export function npmRunDev(): Dev {
  return start("npm", ["run", "dev", "--", "--no-app"], {});
}

function start(command: string, words: string[], env: Record<string, string>): Dev {
  const child = spawn(command, words, {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
    env: {
      ...process.env,
      // The runner of the tests sets it, and a person's terminal does not.
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: undefined,
      LOCAL_STATE_DIR: dataDir,
      LOCAL_PORT_OFFSET: String(offset),
      PORT: "",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const up = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => String(chunk).includes("Ctrl-C stops it") && resolve());
    child.once("close", () => reject(new Error("The command ended before the stack was ready.")));
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

/** Returns PostgreSQL's process id. */
export async function postmaster(): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10);
}

export async function expectNothingRuns(postgresPid: number): Promise<void> {
  await expect.poll(() => commandLineOf(postgresPid), { timeout: 10_000 }).toBeUndefined();
  const used = [ports.postgres, ports.objectStore, ports.mailbox, ports.dataApi, ports.queue];
  await expect.poll(() => Promise.all(used.map(isPortFree))).toEqual(used.map(() => true));
}
