/**
 * `npm start`: the server, in as many processes as `WEB_CONCURRENCY` says. They share the port; one that ends is replaced, one
 * that hangs is ended, and stopping this stops them all.
 */
import cluster, { type Worker } from "node:cluster";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseOnly } from "../env/schema.server";
import { readEnvOrExit } from "../env.server";
import { endWhenSilent } from "../http/heartbeat.server";
import { logError, logWarning } from "../log.server";
import { gatherMetrics } from "../telemetry/metrics.server";

const require = createRequire(import.meta.url);
const remixServe = join(require.resolve("@remix-run/serve/package.json"), "..", "dist", "cli.js");
const serverBuild = "build/index.js";

/** milliseconds; a process that ends sooner has most likely met what the next one would meet too */
const SOON = 5_000;
const LONGEST_PAUSE = 30_000;

const env = readEnvOrExit((source) =>
  parseOnly(source, "WEB_CONCURRENCY", "SHUTDOWN_SECONDS", "METRICS_TOKEN"),
);
const processes = env.WEB_CONCURRENCY;
process.env.NODE_ENV ??= "production";

if (processes === 1) {
  process.argv[2] = serverBuild;
  require(remixServe);
} else {
  await superviseProcesses();
}

async function superviseProcesses(): Promise<void> {
  // Each process takes connections itself. Node's usual way, to hand them out in turn, loses those that a process which is
  // killed has not yet confirmed, and goes on giving them to one that hangs: their callers wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: remixServe, args: [serverBuild], execArgv: [] });
  if (env.METRICS_TOKEN !== undefined) await gatherMetrics();
  let isStopping = false;
  let failuresInARow = 0;

  const startOne = () => {
    const started = performance.now();
    const worker = cluster.fork();
    endWhenSilent(worker);
    worker.once("exit", (code, signal) => {
      if (isStopping) return;
      const isSoon = performance.now() - started < SOON;
      failuresInARow = isSoon ? failuresInARow + 1 : 0;
      if (isSoon && code !== 0 && code !== null && failuresInARow === processes) return giveUp(code);
      logWarning(`A server process ended (${signal ?? `code ${code}`}); another takes its place.`);
      const pause = isSoon ? Math.min(500 * 2 ** failuresInARow, LONGEST_PAUSE) : 0;
      setTimeout(() => !isStopping && startOne(), pause);
    });
  };

  const stop = async (exitCode: number): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => !!worker);
    const ended = Promise.all(
      workers.map((worker) => {
        const exited = new Promise((resolve) => worker.once("exit", resolve));
        worker.process.kill("SIGTERM");
        return exited;
      }),
    );
    // They keep that time themselves; this is for one that hangs.
    await Promise.race([ended, sleep((env.SHUTDOWN_SECONDS + 2) * 1000)]);
    for (const worker of workers) worker.process.kill("SIGKILL");
    process.exit(exitCode);
  };
  const giveUp = (code: number) => {
    logError("No server process stays up. What they said before is why.");
    void stop(code);
  };

  process.on("SIGTERM", () => void stop(0));
  process.on("SIGINT", () => void stop(0));
  for (let count = 0; count < processes; count++) startOne();
}
