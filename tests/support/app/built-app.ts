/** Starts the built app in its own process with the test's settings, and can kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { schema } from "../../../app/env/variables.server";
import type { StackInfo } from "../../../local/stack-info";
import packageJson from "../../../package.json" with { type: "json" };
import { findFreePort } from "../machine/free-port";
import { deploymentEnv } from "./deployment";

export interface BuiltApp {
  apiBaseUrl: string;
  /** the address that this process listens on, which may differ from its base URLs */
  ownUrl: string;
  /** the app's configuration */
  env: NodeJS.ProcessEnv;
  /** `kill -9`; returns when the signal has been sent. */
  kill(): void;
  /** Sends a signal; resolves with how the process ended. */
  signal(name: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Starts the app again after a kill. */
  start(): Promise<void>;
  /** everything the app has printed */
  output(): string;
  /** What it has printed since it was ready. On a busy machine, some of the readiness checks before that time out and are logged. */
  outputSinceReady(): string;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** the arguments of Node for `npm start` and `npm run serve` */
const programs = {
  start: packageJson.scripts.start.split(" ").slice(1),
  serve: ["node_modules/@remix-run/serve/dist/cli.js", "build/index.js"],
};

/** Only variables that the app, Node or OpenTelemetry knows, so that a misspelt one does not compile. */
type Settings = Partial<
  Record<
    | Exclude<keyof typeof schema.shape, "NODE_ENV">
    | "NODE_OPTIONS"
    | "NODE_TLS_REJECT_UNAUTHORIZED"
    | "OTEL_BSP_SCHEDULE_DELAY",
    string
  >
>;

/**
 * @param settings override the stack's settings
 * @param folder the folder of the build
 * @param script the package.json script that runs the app
 */
export async function startBuiltApp(
  stack: StackInfo,
  settings: Settings,
  folder = root,
  script: keyof typeof programs = "start",
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
    // `close` kills the app with the jobs that it has claimed. Those of the stack's database may be other tests'.
    ...(settings.POSTGRES_URL === undefined && { WORKER: "separate" }),
    ...settings,
  };
  let child: ChildProcess | undefined;
  let output = "";
  let readyAt = 0;

  const app: BuiltApp = {
    apiBaseUrl,
    ownUrl,
    env: appEnv,
    output: () => output,
    outputSinceReady: () => output.slice(readyAt),
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
    async start() {
      const started = spawn(process.execPath, programs[script], {
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
        throw new Error(`The app ended. Its output:\n${output}`);
      });
      ended.catch(() => {});
      await Promise.race([untilReady(ownUrl), ended]);
      readyAt = output.length;
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
