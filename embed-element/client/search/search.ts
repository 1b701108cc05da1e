import { rowsOf } from "../folder/folder-rows.js";
import type { RequestOf, ResultOf } from "../operations.js";
import { type PagesOptions, pagesOf } from "../pages.js";
import type { Call } from "../request.js";
import { retryTimingOf, whileBusy } from "../retry.js";
import type { Row } from "../rows.js";
import type { World } from "../world.js";

/** What one request of a search has found. */
export interface FoundRows {
  readonly rows: readonly Row[];
  /** number of files whose names it has compared; of a catalogue, those that its index named */
  readonly scanned: number;
  /** what was asked: the bucket's catalogue, or the store by listing it */
  readonly source: "catalogue" | "store";
  /** What had been changed until then was looked at; later changes may be missing. ISO 8601. */
  readonly asOf: string;
  /** continues the search after this page; null when it is complete */
  readonly cursor: string | null;
}

/** Which files a search looks for, whatever they are called. It leaves out folders. */
export type SearchFilter = Pick<
  RequestOf<"search">,
  "kinds" | "modifiedAfter" | "modifiedBefore" | "minSize" | "maxSize"
>;

export interface SearchOptions extends PagesOptions {
  /** With it, `query` may be empty: all files that it describes are found. */
  filter?: SearchFilter | undefined;
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
  { filter, ...options }: SearchOptions,
): AsyncGenerator<FoundRows, void, undefined> {
  const timing = retryTimingOf(world);
  return pagesOf(async (cursor, signal) => {
    const request = { folderPath, query, ...filter, cursor };
    const result = await whileBusy(() => call("search", request, signal), timing, signal);
    return foundRows(result);
  }, options);
}

const foundRows = ({ files, folders, ...result }: ResultOf<"search">): FoundRows => ({
  ...result,
  rows: rowsOf({ files, folders }),
});
