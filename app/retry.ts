import { setTimeout as sleep } from "node:timers/promises";

export interface RetryOptions {
  /** milliseconds before the second attempt at most; each further pause may be twice as long */
  firstPauseMs: number;
  longestPauseMs: number;
  /** further attempts at most; unlimited unless told */
  retries?: number;
  /** by `performance.now()`: an attempt that would begin later is not made */
  deadline?: number;
  /** whether a failure may pass; a number says after how many milliseconds, where the other side told us */
  mayPass: (error: unknown) => boolean | number;
}

/**
 * `work`, and again after a failure that may pass. Pauses are drawn at random from the upper half of what they may be: callers who
 * were told at the same moment must not all come back at one.
 * @throws what `work` threw last
 */
export async function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { retries = Number.POSITIVE_INFINITY, deadline = Number.POSITIVE_INFINITY, longestPauseMs } = options;
  let longest = options.firstPauseMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const told = options.mayPass(error);
      const pause = typeof told === "number" ? told : longest * (0.5 + Math.random() / 2);
      if (told === false || attempt >= retries || performance.now() + pause > deadline) throw error;
      await sleep(pause);
      longest = Math.min(longest * 2, longestPauseMs);
    }
  }
}
