/**
 * One of several processes that hangs is noticed by nobody else: the others answer a health check in its place, while its
 * connections wait. So each gives a sign of life, and the process that started it ends one that gives none.
 */
import type { Worker } from "node:cluster";
import { Worker as Thread } from "node:worker_threads";
import { logWarning } from "../log.server";

/** milliseconds between two signs */
const BEAT_EVERY_MS = 5_000;
/** looks in a row without a sign; not a time, which also passes while all processes are suspended */
const MISSED_BEATS = 6;
/** the same of one that has yet to begin to listen: a minute */
const MISSED_BEATS_AT_START = 12;

const BEAT = { type: "platform-embed:alive" } as const;

/** In a process of `WEB_CONCURRENCY`: a sign of life now and then, for as long as its event loop turns. */
export function giveSignsOfLife(): void {
  // Without a callback, a primary process that has just ended would be an exception here.
  setInterval(() => process.send?.(BEAT, undefined, {}, () => {}), BEAT_EVERY_MS).unref();
}

/**
 * In a process of `WEB_CONCURRENCY`: ends it once the process that started it is gone, as when that was killed. It would notice
 * by itself, unless it hangs: then it keeps the port from whoever starts the service again. So a thread of its own looks.
 */
export function endWithParent(): void {
  const look = `const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, "SIGKILL"), 1_000);`;
  new Thread(look, { eval: true, execArgv: [], env: {} }).unref();
}

/** Ends `worker` when it has given no sign for half a minute, or has not begun to listen within a minute. */
export function endWhenSilent(worker: Worker): void {
  let missed = 0;
  let mayMiss = MISSED_BEATS_AT_START;
  const hear = () => {
    missed = 0;
    mayMiss = MISSED_BEATS;
  };
  worker.once("listening", hear);
  worker.on("message", (message: { type?: unknown } | null) => {
    if (message?.type === BEAT.type) hear();
  });
  const look = setInterval(() => {
    if (++missed <= mayMiss) return;
    logWarning(
      mayMiss === MISSED_BEATS
        ? "A server process has given no sign of life for half a minute, and is ended."
        : "A server process has not begun to listen for a minute, and is ended.",
    );
    worker.process.kill("SIGKILL");
  }, BEAT_EVERY_MS);
  worker.once("exit", () => clearInterval(look));
}
