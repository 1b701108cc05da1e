/**
 * One of several processes that hangs is noticed by nobody else: the others answer a health check in its place, while its
 * connections wait. So each gives a sign of life, and the process that started it ends one that gives none.
 */
import type { Worker } from "node:cluster";
import { logWarning } from "../log.server";

/** milliseconds between two signs */
const BEAT_EVERY_MS = 5_000;
/** looks in a row without a sign; not a time, which also passes while all processes are suspended */
const MISSED_BEATS = 6;

const BEAT = { type: "platform-embed:alive" } as const;

/** In a process of `WEB_CONCURRENCY`: a sign of life now and then, for as long as its event loop turns. */
export function giveSignsOfLife(): void {
  // Without a callback, a primary process that has just ended would be an exception here.
  setInterval(() => process.send?.(BEAT, undefined, {}, () => {}), BEAT_EVERY_MS).unref();
}

/** Ends `worker`, which listens, when it has given no sign for half a minute. */
export function endWhenSilent(worker: Worker): void {
  let missed = 0;
  worker.on("message", (message: { type?: unknown } | null) => {
    if (message?.type === BEAT.type) missed = 0;
  });
  const look = setInterval(() => {
    if (++missed <= MISSED_BEATS) return;
    logWarning("A server process has given no sign of life for half a minute, and is ended.");
    worker.process.kill("SIGKILL");
  }, BEAT_EVERY_MS);
  worker.once("exit", () => clearInterval(look));
}
