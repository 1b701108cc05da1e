export interface RetryOptions {
  /** milliseconds; the longest possible pause before the second attempt. It doubles with each further attempt */
  firstPauseMs: number;
  maxPauseMs: number;
  /** maximum number of further attempts; default: no limit */
  retries?: number;
  /** by `performance.now()`: no attempt starts after this */
  deadline?: number;
  /** whether to try again after an error. A number is the pause in milliseconds that the other side asked for */
  shouldRetry: (error: unknown) => boolean | number;
}

/**
 * Repeats `work` after temporary errors. Pauses are random, between half and all of their maximum, so that callers who failed at the same
 * moment do not all return at the same moment.
 * @throws the last error of `work`
 */
export async function retry<Result>(work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { retries = Number.POSITIVE_INFINITY, deadline = Number.POSITIVE_INFINITY, maxPauseMs } = options;
  let longestPauseMs = options.firstPauseMs;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const decision = options.shouldRetry(error);
      const pauseMs =
        typeof decision === "number" ? decision : randomBetween(longestPauseMs / 2, longestPauseMs);
      if (decision === false || attempt >= retries || performance.now() + pauseMs > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      longestPauseMs = Math.min(longestPauseMs * 2, maxPauseMs);
    }
  }
}

/** Whole seconds for `Retry-After`: random, so that callers who are refused at the same moment do not all return at the same moment. */
export const randomPauseSeconds = (min: number, max: number) => Math.floor(randomBetween(min, max + 1));

/** A random number of at least `min` and less than `max`. */
export const randomBetween = (min: number, max: number) => min + Math.random() * (max - min);
