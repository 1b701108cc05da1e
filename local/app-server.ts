/** Runs the app: `remix dev`, which rebuilds it on every change, or `remix-serve` over what `npm run build` made. */

import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { messageOf } from "../app/error-text";
import { type AppMode, type Ports, StackError } from "./addresses";
import { type KeptProcess, keepRunning } from "./process/kept-process";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
const tsx = require.resolve("tsx/cli");

/** Milliseconds until the app has to respond; the first build on a slow machine takes most of it. */
const START_TIMEOUT_MS = 120_000;

export interface AppOptions {
  mode: Exclude<AppMode, "none">;
  ports: Ports;
  env: Record<string, string>;
  onOutput: (text: string) => void;
  signal?: AbortSignal;
}

/** Starts the app, and resolves when `/readyz` says that it has its database. */
export async function startApp(options: AppOptions): Promise<KeptProcess> {
  const { mode, ports, signal } = options;
  if (mode === "built" && !existsSync(join(root, "build", "commands", "start.js"))) {
    throw new StackError("There is no built app. Make it with `npm run build`.");
  }
  let recent = "";
  const command = {
    dev: [
      join(require.resolve("@remix-run/dev/package.json"), "..", "dist", "cli.js"),
      "dev",
      "--port",
      String(ports.appRebuild),
      "-c",
      "remix-serve build/index.js",
    ],
    built: [join(root, "build", "commands", "start.js")],
  };
  const app = keepRunning({
    command: process.execPath,
    args: command[mode],
    cwd: root,
    env: { ...inheritedEnv(), ...options.env },
    onOutput(text) {
      recent = `${recent}${text}`.slice(-4_000);
      options.onOutput(text);
    },
  });
  try {
    await untilReady(ports.app, app, signal);
    return app;
  } catch (error) {
    await app.stop();
    signal?.throwIfAborted();
    throw new StackError(`${messageOf(error)} It said:\n${recent.trim()}`, { cause: error });
  }
}

async function untilReady(port: number, app: KeptProcess, signal?: AbortSignal): Promise<void> {
  let hasExited = false;
  app.exited.then(() => {
    hasExited = true;
  });
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(port))) {
    signal?.throwIfAborted();
    if (hasExited) throw new Error("The app ended while it was starting.");
    if (Date.now() > deadline) throw new Error("The app did not become ready.");
    await sleep(100);
  }
}

async function isReady(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.ok ?? false;
}

/** Makes the Prisma client, unless the one that is there is newer than the schema. */
export async function generateClientIfNeeded(): Promise<void> {
  const schema = join(root, "prisma", "schema.prisma");
  const client = join(root, "prisma", "generated", "client.ts");
  if (existsSync(client) && statSync(client).mtimeMs >= statSync(schema).mtimeMs) return;
  await runScript("prisma/generate.ts");
}

/** Builds `public/platform-embed.js`. */
export function buildElement(): Promise<void> {
  return runScript("embed-element/build.ts");
}

async function runScript(script: string): Promise<void> {
  let output = "";
  const { exited } = keepRunning({
    command: process.execPath,
    args: [tsx, join(root, script)],
    cwd: root,
    env: inheritedEnv(),
    onOutput(text) {
      output += text;
    },
  });
  const { code } = await exited;
  if (code !== 0) throw new StackError(`${script} failed. It said:\n${output.trim()}`);
}

/** What any program needs of the environment it is started from, and nothing that configures ours. */
function inheritedEnv(): Record<string, string> {
  const names = [
    "PATH",
    "HOME",
    "USER",
    "TMPDIR",
    "TEMP",
    "LANG",
    "TERM",
    "SystemRoot",
    "ComSpec",
    "PATHEXT",
  ];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}
