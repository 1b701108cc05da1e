/** The built app in a process of its own, with settings of the test's own, which can be killed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StackInfo } from "../../local/stack-info";
import { deploymentEnv } from "./deployment";
import { findFreePort } from "./free-port";

export interface BuiltApp {
  apiBaseUrl: string;
  /** where this process itself listens, whatever its base URLs are */
  ownUrl: string;
  /** what the app is configured with */
  env: NodeJS.ProcessEnv;
  /** `kill -9`; returns when the signal has been sent. */
  kill(): void;
  /** Sends a signal; resolves with how the process ended. */
  signal(name: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** ids of the processes that it has started */
  children(): number[];
  /** Starts the app, after a kill. */
  start(): Promise<void>;
  /** all that it has printed */
  output(): string;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
/** what `npm start` runs */
const start = "build/commands/start.js";

/**
 * @param settings what differs from the stack's own settings
 * @param folder where the build is; the repository unless told
 */
export async function startBuiltApp(
  stack: StackInfo,
  settings: Record<string, string>,
  folder = root,
): Promise<BuiltApp> {
  const port = Number(settings.PORT ?? (await findFreePort()));
  const ownUrl = `http://127.0.0.1:${port}`;
  const apiBaseUrl = settings.API_BASE_URL ?? ownUrl;
  const appEnv: NodeJS.ProcessEnv = {
    ...deploymentEnv(stack, stack.postgresUrl),
    PORT: String(port),
    HOST: "127.0.0.1",
    API_BASE_URL: apiBaseUrl,
    PLATFORM_BASE_URL: `http://localhost:${port}`,
    ...settings,
  };
  let child: ChildProcess | undefined;
  let output = "";

  const app: BuiltApp = {
    apiBaseUrl,
    ownUrl,
    env: appEnv,
    output: () => output,
    kill() {
      child?.kill("SIGKILL");
    },
    async signal(name) {
      if (child === undefined) throw new Error("The app is not running.");
      const ended = once(child, "exit");
      child.kill(name);
      const [code, signal] = await ended;
      return { code, signal };
    },
    children() {
      if (child?.pid === undefined) return [];
      const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
      return stdout
        .split("\n")
        .filter((line) => line.trim())
        .map(Number);
    },
    async start() {
      const started = spawn(process.execPath, [join(folder, start)], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: appEnv,
      });
      child = started;
      const killIt = () => started.kill("SIGKILL");
      process.once("exit", killIt);
      started.once("exit", () => process.off("exit", killIt));
      const add = (text: Buffer) => {
        output += text;
      };
      started.stdout?.on("data", add);
      started.stderr?.on("data", add);
      const ended = once(started, "exit").then(() => {
        throw new Error(`The app ended. It said:\n${output}`);
      });
      ended.catch(() => {});
      await Promise.race([untilReady(ownUrl), ended]);
    },
    async close() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        app.kill();
        await ended;
      }
    },
  };
  await app.start();
  return app;
}

async function untilReady(baseUrl: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
