import type { SearchResult } from "../../search/search-contract.server";
import type { StorageClient } from "../../storage-client";
import { asProblem, isAbort } from "../../storage-problem";
import { realTiming } from "../../transfers/retry";

/** Maximum number of times to repeat a request while the server is busy. Then the search fails. */
const MAX_REPEATS = 10;
/** If the server asks for a longer pause, something is unavailable rather than busy, and the person should know at once. */
const MAX_RETRY_AFTER_SECONDS = 3;

/**
 * One request of a search. While the server runs as many searches as it can, the request is sent again after `Retry-After`.
 * @param cursor as the previous request returned it; undefined to begin
 * @throws a StorageProblem, or the signal's reason
 */
export async function searchPage(
  client: Pick<StorageClient, "call">,
  { folderPath, query, cursor }: { folderPath: string; query: string; cursor: string | undefined },
  signal: AbortSignal,
  { wait } = realTiming,
): Promise<SearchResult> {
  for (let repeat = 0; ; repeat++) {
    try {
      return await client.call("search", { folderPath, query, cursor }, signal);
    } catch (error) {
      const { retryAfter = Number.POSITIVE_INFINITY } = asProblem(error).details;
      if (isAbort(error) || retryAfter > MAX_RETRY_AFTER_SECONDS || repeat === MAX_REPEATS) throw error;
      await wait(retryAfter * 1000, signal);
    }
  }
}
