import { rowsOf } from "../folder/folder-rows.js";
import type { ResultOf } from "../operations.js";
import { type PagesOptions, pagesOf } from "../pages.js";
import type { Call } from "../request.js";
import { retryTimingOf, whileBusy } from "../retry.js";
import type { Row } from "../rows.js";
import type { World } from "../world.js";

/** What one request of a search has found. */
export interface FoundRows {
  readonly rows: readonly Row[];
  /** number of files whose names it has compared */
  readonly scanned: number;
  /** continues the search after this page; null when it is complete */
  readonly cursor: string | null;
}

/**
 * Searches below a folder for names that contain all words of `query`. One request at a time, each when its page is asked for.
 * @param folderPath the folder's path
 * @throws a FilesError, or the signal's reason; the `cursor` of the last page continues the search
 */
export function search(
  call: Call,
  world: World,
  folderPath: string,
  query: string,
  options: PagesOptions,
): AsyncGenerator<FoundRows, void, undefined> {
  const timing = retryTimingOf(world);
  return pagesOf(async (cursor, signal) => {
    const request = { folderPath, query, cursor };
    const result = await whileBusy(() => call("search", request, signal), timing, signal);
    return foundRows(result);
  }, options);
}

const foundRows = ({ scanned, cursor, ...found }: ResultOf<"search">): FoundRows => ({
  rows: rowsOf(found),
  scanned,
  cursor,
});
