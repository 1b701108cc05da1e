import type { ServiceTools } from "../../../embed/service";
import { assertBucketInScope, assertFolderInScope, type FilesGrant } from "../scope-guards.server";
import { searchNames } from "./look-through.server";
import type { SearchRequest, SearchResult } from "./search-contract.server";
import { readCursor, signCursor } from "./search-cursor.server";
import { walkKeys } from "./walk-keys.server";

/** How long one request looks, milliseconds. */
const LIMIT = 2_000;
/** How long it looks on when it has found something, milliseconds; the first request of a search returns at once then. */
const LIMIT_WITH_HITS = 500;
/** Hits that are enough for one response; the pages that are on their way add to them. */
const ENOUGH_HITS = 1_000;
/** How long the store may take for one page, milliseconds. */
const PAGE_LIMIT = 5_000;

/**
 * The files and folders anywhere below a folder whose names meet a query: as many as can be found in about two seconds, and a cursor that
 * goes on from there.
 * @throws AppError `scope_not_allowed`, `invalid_request` (a cursor of another search), and those of `ObjectStore.listKeys`
 */
export async function searchFiles(
  { bucket, query, cursor, ...request }: Omit<SearchRequest, "token">,
  { scope }: FilesGrant,
  tools: ServiceTools,
): Promise<SearchResult> {
  const folderPath = request.folderPath ?? scope.path ?? "/";
  assertBucketInScope(bucket, scope);
  assertFolderInScope(folderPath, scope);
  const prefix = folderPath === "/" ? "" : `${folderPath.slice(1)}/`;
  const place = { bucket, prefix, query };
  const ranges = cursor === undefined ? [{ after: "", last: null }] : readCursor(cursor, place, tools);

  const { look, found } = searchNames(query, prefix);
  const { objectStore, request: context } = tools;
  const gone = context.signal;
  const enoughAt = performance.now() + (cursor === undefined ? 0 : LIMIT_WITH_HITS);
  const left = await walkKeys(ranges, {
    prefix,
    limitMs: LIMIT,
    list(after, over) {
      const signal = gone === undefined ? over : AbortSignal.any([over, gone]);
      return objectStore.listKeys({ bucket, prefix, after, limitMs: PAGE_LIMIT, signal }, context);
    },
    take: look,
    isEnough() {
      const hits = found.files.length + found.folders.length;
      return hits >= ENOUGH_HITS || (hits > 0 && performance.now() >= enoughAt) || gone?.aborted === true;
    },
  });
  return { ...found, cursor: left.length === 0 ? null : signCursor(place, left, tools) };
}
