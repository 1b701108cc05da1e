import type { ServiceTools } from "../../../embed/service";
import { type KeyMatcher, MAX_HITS } from "./match-keys.server";

/** How long one request searches, milliseconds. */
const MAX_SEARCH_MS = 2_000;
/** How long a request may continue after its first hit; the first request of a search returns its first hits at once. */
const MAX_SEARCH_WITH_HITS_MS = 500;

/**
 * What one request may take.
 * @param isFirst whether it is the first request of a search
 */
export function searchBudget(
  matcher: KeyMatcher,
  { context }: Pick<ServiceTools, "context">,
  isFirst: boolean,
) {
  const startedAt = performance.now();
  const timeOut = AbortSignal.timeout(MAX_SEARCH_MS);
  const signal = context.signal === undefined ? timeOut : AbortSignal.any([timeOut, context.signal]);
  return {
    /** ends calls that are still running when the time is over, or the caller has gone */
    signal,
    isOver(): boolean {
      const elapsedMs = performance.now() - startedAt;
      const isEnough = matcher.count > 0 && (isFirst || elapsedMs >= MAX_SEARCH_WITH_HITS_MS);
      return signal.aborted || isEnough || matcher.count >= MAX_HITS;
    },
  };
}
