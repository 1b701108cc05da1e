import {
  type RetryOptions,
  type RetryTiming,
  realWorld,
  retryTimingOf,
  retryWhileTemporary,
} from "platform-embed-element/client";
import { asProblem, type StorageProblem } from "./storage-problem";

export const realTiming = retryTimingOf(realWorld);

/** Calls `work`, and calls it again after temporary failures. @throws a StorageProblem, or the signal's reason */
export function withRetries<Result>(
  work: () => Promise<Result>,
  timing: RetryTiming,
  options?: RetryOptions<StorageProblem>,
): Promise<Result> {
  return retryWhileTemporary(work, timing, asProblem, options);
}
