import { asFilesError, type FilesError, isAbort } from "./errors.js";
import type { World } from "./world.js";

/** A request is given up when it has been retried this often, and has failed for this long. */
export const MIN_RETRIES = 6;
export const MIN_RETRYING_MS = 10 * 60_000;
/** A connection counts as broken when no byte has been sent or received for this time. */
export const STALL_TIMEOUT_MS = 30_000;
/** Upper limit of the delay before the first retry; doubled for each further retry up to MAX_DELAY_MS. */
const BASE_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** If the server asks for a longer pause, it is not retried. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** What retries need of the world. */
export interface RetryTiming {
  /** Resolves after this time, or as soon as the network is back. @throws the signal's reason */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** at least 0 and less than 1 */
  random(): number;
  /** milliseconds of a monotonic clock */
  now(): number;
}

export function retryTimingOf(world: World): RetryTiming {
  const { timers, network } = world;
  return {
    wait: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const end = (act: () => void) => () => {
          stopTimer();
          stopListening();
          signal.removeEventListener("abort", onAbort);
          act();
        };
        const onAbort = end(() => reject(signal.reason));
        const stopTimer = timers.start(end(resolve), milliseconds);
        const stopListening = network.onOnline(end(resolve));
        signal.addEventListener("abort", onAbort);
      }),
    random: () => world.random(),
    now: () => world.clock.now(),
  };
}

/**
 * The delay before a retry, milliseconds; null for no retry. Full jitter: uniformly distributed up to the limit, so that browsers that failed
 * together do not retry together.
 * @param retry number of the retry, from 0
 * @param failingForMs milliseconds since it first failed
 */
export function retryDelay(
  retry: number,
  failingForMs: number,
  error: FilesError,
  random: () => number,
): number | null {
  // Without a network, retries never end. `wait` resolves as soon as the browser is online.
  if (error.code === "offline") return MAX_DELAY_MS;
  const retryAfterMs = (error.retryAfter ?? 0) * 1000;
  const isGivenUp = retry >= MIN_RETRIES && failingForMs >= MIN_RETRYING_MS;
  if (!error.isTemporary || isGivenUp || retryAfterMs > MAX_RETRY_AFTER_MS) return null;
  return Math.max(retryAfterMs, random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry));
}

interface RetryOptions {
  /** called with the error before each pause */
  onRetry?(error: FilesError): void;
  signal?: AbortSignal | undefined;
}

/** Calls `work`, and calls it again after temporary failures. @throws a FilesError, or the signal's reason */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  timing: RetryTiming,
  { onRetry, signal = new AbortController().signal }: RetryOptions = {},
): Promise<Result> {
  let failedSince: number | null = null;
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (thrown) {
      if (isAbort(thrown) || signal.aborted) throw thrown;
      const error = asFilesError(thrown);
      failedSince ??= timing.now();
      const delay = retryDelay(retry, timing.now() - failedSince, error, timing.random);
      if (delay === null) throw error;
      onRetry?.(error);
      await timing.wait(delay, signal);
    }
  }
}

/** Maximum number of times to repeat a request while the server is busy. Then it fails. */
const MAX_REPEATS = 10;
/** If the server asks for a longer pause, something is unavailable rather than busy, and the person should know at once. */
const MAX_BUSY_SECONDS = 3;

/** Calls `send` again after `Retry-After`, while the server runs as many such requests as it can. @throws what `send` throws at last */
export async function whileBusy<Result>(
  send: () => Promise<Result>,
  { wait }: Pick<RetryTiming, "wait">,
  signal = new AbortController().signal,
): Promise<Result> {
  for (let repeat = 0; ; repeat++) {
    try {
      return await send();
    } catch (error) {
      const { retryAfter = Number.POSITIVE_INFINITY } = asFilesError(error);
      if (isAbort(error) || retryAfter > MAX_BUSY_SECONDS || repeat === MAX_REPEATS) throw error;
      await wait(retryAfter * 1000, signal);
    }
  }
}
