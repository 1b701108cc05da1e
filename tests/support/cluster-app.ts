/**
 * The built app in a process of its own, with a Data API of the test's own in front of the stack's PostgreSQL: faults can be
 * put into the one, and the other can be killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DataApi, type Fault, startDataApi } from "../../local/data-api";
import { CLUSTER_ARN, SECRET_ARN } from "../../local/settings";
import type { StackInfo } from "../../local/stack-info";
import { findFreePort } from "./free-port";

/** What goes wrong with a statement; undefined lets it pass. */
export type FaultOf = (sql: string) => Fault | undefined;

export interface ClusterApp {
  apiBaseUrl: string;
  /** what the app is configured with */
  env: NodeJS.ProcessEnv;
  /** every statement that has come to the Data API */
  statements: string[];
  /** From now on; undefined ends the trouble. */
  setFault(faultOf: FaultOf | undefined): void;
  /** Ends the Data API, or starts it again on its port. */
  stopDataApi(): Promise<void>;
  startDataApi(): Promise<void>;
  /** `kill -9`; returns when the signal has been sent. */
  kill(): void;
  /** Starts the app, after a kill. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const remixServe = join(
  createRequire(import.meta.url).resolve("@remix-run/serve/package.json"),
  "../dist/cli.js",
);

/** @param env more settings of the app */
export async function startClusterApp(
  stack: StackInfo,
  env: Record<string, string> = {},
): Promise<ClusterApp> {
  const [port, dataApiPort] = [await findFreePort(), await findFreePort()];
  const { accessKeyId, secretAccessKey, region, endpoint } = stack.objectStore;
  const apiBaseUrl = `http://127.0.0.1:${port}`;
  const statements: string[] = [];
  let faultOf: FaultOf | undefined;
  let dataApi: DataApi | undefined;
  let child: ChildProcess | undefined;

  const appEnv: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    PORT: String(port),
    HOST: "127.0.0.1",
    API_BASE_URL: apiBaseUrl,
    PLATFORM_BASE_URL: `http://localhost:${port}`,
    POSTGRES_URL: stack.postgresUrl,
    EMBED_SIGNING_SECRET: stack.embedSigningSecret,
    API_ALLOW_ANONYMOUS: "true",
    CLOUD_REGION: region,
    CLOUD_ACCESS_KEY_ID: accessKeyId,
    CLOUD_SECRET_ACCESS_KEY: secretAccessKey,
    CLOUD_S3_ENDPOINT: endpoint,
    CLOUD_RDS_DATA_ENDPOINT: `http://127.0.0.1:${dataApiPort}`,
    CLUSTER_REF_CA_CENTRAL_1: CLUSTER_ARN,
    SECRET_REF_CA_CENTRAL_1: SECRET_ARN,
    EMAIL_FROM: "no-reply@platform.example",
    ...env,
  };

  const app: ClusterApp = {
    apiBaseUrl,
    env: appEnv,
    statements,
    setFault(wanted) {
      faultOf = wanted;
    },
    async startDataApi() {
      dataApi = await startDataApi({
        port: dataApiPort,
        accessKeyId,
        secretAccessKey,
        postgresUrl: stack.postgresUrl,
        clusters: [{ resourceArn: CLUSTER_ARN, secretArn: SECRET_ARN }],
        intercept({ body: { sql } }) {
          statements.push(String(sql));
          return faultOf?.(String(sql));
        },
      });
    },
    async stopDataApi() {
      await dataApi?.close();
      dataApi = undefined;
    },
    kill() {
      child?.kill("SIGKILL");
    },
    async start() {
      let output = "";
      const started = spawn(process.execPath, [remixServe, "build/index.js"], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: appEnv,
      });
      child = started;
      process.once("exit", () => started.kill("SIGKILL"));
      const add = (text: Buffer) => {
        output += text;
      };
      started.stdout?.on("data", add);
      started.stderr?.on("data", add);
      const ended = once(started, "exit").then(() => {
        throw new Error(`The app ended. It said:\n${output}`);
      });
      ended.catch(() => {});
      await Promise.race([untilReady(apiBaseUrl), ended]);
    },
    async close() {
      if (child && child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        app.kill();
        await ended;
      }
      await app.stopDataApi();
    },
  };
  await app.startDataApi();
  await app.start();
  return app;
}

async function untilReady(baseUrl: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
