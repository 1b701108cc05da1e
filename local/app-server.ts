/** Runs the app: by `remix dev`, which builds it and starts it again on every change, or as `npm run build` made it. */
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { messageOf } from "../app/shared/error-text";
import { type AppMode, type Ports, StackError } from "./addresses";
import { spawnTied, type TiedProcess } from "./process/tied-process";

const root = fileURLToPath(new URL("..", import.meta.url));
const require = createRequire(import.meta.url);
const tsx = require.resolve("tsx/cli");

/** milliseconds until the app has to respond; most of it is the first build on a slow machine */
const START_TIMEOUT_MS = 120_000;

export interface AppOptions {
  mode: Exclude<AppMode, "none">;
  ports: Ports;
  env: Record<string, string>;
  onOutput: (text: string) => void;
  signal?: AbortSignal;
}

/** Starts the app. Resolves when `/readyz` responds with 200. */
export async function startApp(options: AppOptions): Promise<TiedProcess> {
  const { mode, ports, signal } = options;
  if (mode === "built" && !existsSync(join(root, "build", "commands", "start.js"))) {
    throw new StackError("The app is not built. Run `npm run build` first.");
  }
  let recent = "";
  const command = {
    dev: [
      join(require.resolve("@remix-run/dev/package.json"), "..", "dist", "cli.js"),
      "dev",
      "--port",
      String(ports.appRebuild),
      "-c",
      "tsx app/commands/start.ts",
    ],
    built: [join(root, "build", "commands", "start.js")],
  };
  const app = spawnTied({
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
    throw new StackError(`${messageOf(error)} Its output:\n${recent.trim()}`, { cause: error });
  }
}

async function untilReady(port: number, app: TiedProcess, signal?: AbortSignal): Promise<void> {
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

/** Generates the Prisma client, unless it is newer than the schema. */
export async function generateClientIfNeeded(): Promise<void> {
  const schema = join(root, "prisma", "schema.prisma");
  const client = join(root, "prisma", "generated", "client.ts");
  if (existsSync(client) && statSync(client).mtimeMs >= statSync(schema).mtimeMs) return;
  await runScript("prisma/generate.ts");
}

/** Builds what `remix dev` does not: the element, PDF.js and the service worker, all in `public/`. */
export async function buildPublicFiles(): Promise<void> {
  await Promise.all([runScript("embed-element/build.ts"), runScript("app/commands/build-assets.ts")]);
}

async function runScript(script: string): Promise<void> {
  let output = "";
  const { exited } = spawnTied({
    command: process.execPath,
    args: [tsx, join(root, script)],
    cwd: root,
    env: inheritedEnv(),
    onOutput(text) {
      output += text;
    },
  });
  const { code } = await exited;
  if (code !== 0) throw new StackError(`${script} failed. Its output:\n${output.trim()}`);
}

/** The variables that any program needs, and none that configures the app. */
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
