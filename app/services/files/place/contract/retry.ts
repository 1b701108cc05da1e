import { asProblem, isAbort, type StorageProblem } from "./storage-problem";

/** A request is given up when it has been retried this often, and has failed for this long. */
export const MIN_RETRIES = 6;
export const MIN_RETRYING_MS = 10 * 60_000;
/** A connection counts as broken when no byte has been sent or received for this time. */
export const STALL_TIMEOUT_MS = 30_000;
/** Upper limit of the delay before the first retry; doubled for each further retry up to MAX_DELAY_MS. */
const BASE_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** If the store asks for a longer pause, it is not retried. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** Time and randomness; tests pass their own. */
export interface RetryTiming {
  /** Resolves after this time, or as soon as the browser is online again. @throws the signal's reason */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** at least 0 and less than 1 */
  random(): number;
  /** milliseconds of a monotonic clock */
  now(): number;
}

export const realTiming: RetryTiming = {
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const ended = new AbortController();
      const end = (act: () => void) => () => {
        clearTimeout(timer);
        ended.abort();
        act();
      };
      const timer = setTimeout(end(resolve), milliseconds);
      signal.addEventListener(
        "abort",
        end(() => reject(signal.reason)),
        { signal: ended.signal },
      );
      globalThis.addEventListener?.("online", end(resolve), { signal: ended.signal });
    }),
  random: Math.random,
  now: () => performance.now(),
};

/**
 * The delay before a retry, milliseconds; null for no retry. Full jitter: uniformly distributed up to the limit, so that browsers that failed
 * together do not retry together.
 * @param retry number of the retry, from 0
 * @param failingForMs milliseconds since it first failed
 */
export function retryDelay(
  retry: number,
  failingForMs: number,
  problem: StorageProblem,
  random: () => number,
): number | null {
  // Without a network, retries never end. `wait` resolves as soon as the browser is online.
  if (problem.code === "offline") return MAX_DELAY_MS;
  const retryAfterMs = (problem.details.retryAfter ?? 0) * 1000;
  const isGivenUp = retry >= MIN_RETRIES && failingForMs >= MIN_RETRYING_MS;
  if (!problem.isTemporary || isGivenUp || retryAfterMs > MAX_RETRY_AFTER_MS) return null;
  return Math.max(retryAfterMs, random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry));
}

interface RetryOptions {
  /** called with the problem before each pause */
  onRetry?(problem: StorageProblem): void;
  signal?: AbortSignal | undefined;
}

/**
 * Calls `work`, and calls it again after temporary failures.
 * @throws a StorageProblem, or the signal's reason
 */
export async function withRetries<Result>(
  work: () => Promise<Result>,
  timing: RetryTiming,
  { onRetry, signal = new AbortController().signal }: RetryOptions = {},
): Promise<Result> {
  let failedSince: number | null = null;
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (error) {
      if (isAbort(error) || signal.aborted) throw error;
      const problem = asProblem(error);
      failedSince ??= timing.now();
      const delay = retryDelay(retry, timing.now() - failedSince, problem, timing.random);
      if (delay === null) throw problem;
      onRetry?.(problem);
      await timing.wait(delay, signal);
    }
  }
}
