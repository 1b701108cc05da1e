import type { StorageProblem } from "../storage-client";

/** How often something is tried again after it first failed. */
export const MOST_RETRIES = 6;
/** The longest wait before the first retry, doubled for each further one up to the cap, milliseconds. */
const BASE = 1_000;
const CAP = 60_000;
/** A store that asks for a longer pause than this is not waited for, milliseconds. */
const LONGEST_PAUSE = 5 * 60_000;

/** Where waiting and chance come from; a test brings its own. */
export interface RetryTiming {
  /** resolves after so many milliseconds, or rejects with the signal's reason */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** from 0 up to 1 */
  random(): number;
}

export const realTiming: RetryTiming = {
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const cancel = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", cancel);
        resolve();
      }, milliseconds);
      signal.addEventListener("abort", cancel, { once: true });
    }),
  random: Math.random,
};

/**
 * How long to wait before the retry of this number (from 0), milliseconds, or null when there should be none. Full jitter: any
 * time up to the limit is as likely, so that browsers that failed together do not come back together.
 */
export function retryDelay(retry: number, problem: StorageProblem, random: () => number): number | null {
  const asked = (problem.details.retryAfter ?? 0) * 1000;
  if (!problem.isTemporary || retry >= MOST_RETRIES || asked > LONGEST_PAUSE) return null;
  return Math.max(asked, random() * Math.min(CAP, BASE * 2 ** retry));
}
