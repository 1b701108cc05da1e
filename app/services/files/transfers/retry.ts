import { asProblem, isAbort, type StorageProblem } from "../storage-problem";

/** How often something is tried again at least, and for how long after it first failed, milliseconds. */
export const FEWEST_RETRIES = 6;
export const PATIENCE = 10 * 60_000;
/** How long not a byte may be sent, or come, before a connection counts as broken, milliseconds. */
export const STALL_LIMIT = 30_000;
/** The longest wait before the first retry, doubled for each further one up to the cap, milliseconds. */
const BASE = 1_000;
const CAP = 60_000;
/** A store that asks for a longer pause than this is not waited for, milliseconds. */
const LONGEST_PAUSE = 5 * 60_000;

/** Where time and chance come from; a test brings its own. */
export interface RetryTiming {
  /** resolves after so many milliseconds, or when the browser is online again; rejects with the signal's reason */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** from 0 up to 1 */
  random(): number;
  /** milliseconds, from whenever, that no clock's being set can change */
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
 * How long to wait before the retry of this number (from 0), milliseconds, or null when there should be none. Full jitter: any
 * time up to the limit is as likely, so that browsers that failed together do not come back together.
 * @param failingFor milliseconds since it first failed
 */
export function retryDelay(
  retry: number,
  failingFor: number,
  problem: StorageProblem,
  random: () => number,
): number | null {
  // Not the store's fault, nor ours: it goes on when there is a network again, and looks now and then.
  if (problem.code === "offline") return CAP;
  const asked = (problem.details.retryAfter ?? 0) * 1000;
  const isGivenUp = retry >= FEWEST_RETRIES && failingFor >= PATIENCE;
  if (!problem.isTemporary || isGivenUp || asked > LONGEST_PAUSE) return null;
  return Math.max(asked, random() * Math.min(CAP, BASE * 2 ** retry));
}

/**
 * `work`, and again while what it fails for may pass.
 * @param onRetry learns why, before each pause
 * Rejects with a StorageProblem, or with the signal's reason.
 */
export async function persist<Result>(
  work: () => Promise<Result>,
  timing: RetryTiming,
  onRetry: (problem: StorageProblem) => void,
  signal: AbortSignal,
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
      onRetry(problem);
      await timing.wait(delay, signal);
    }
  }
}
