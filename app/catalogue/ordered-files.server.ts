import type { Database } from "../providers/database.server";
import { type KeyRange, rangeAfter, rangeOf } from "./key-range";
import {
  comparePlaces,
  type FileOrder,
  type PlaceInOrder,
  readFiles,
  readPart,
} from "./ordered-files.sql.server";
import { fromStoredKey, toStoredKey } from "./stored-key";
import type { UsableCatalogue } from "./usable-catalogues.server";

/** Rows that one statement reads. */
const MAX_ROWS = 25_000;

interface OrderedPageOptions {
  order: FileOrder;
  /** the last file of the page before; null on the first page */
  after: PlaceInOrder | null;
  /** of files and folders together */
  pageSize: number;
  /** no further statement begins after it, milliseconds */
  limitMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * One page of what is in a folder itself, in an order that the store does not have: on the first page all subfolders by name, then the files. No
 * index has that order. So the keys of the folder are read once for each page, and the files that come first are kept. Of a subfolder
 * with many keys only the first are read, and the others are skipped.
 * @param caller whose turn it is: the company that asks
 * @param prefix what the keys in the folder start with: empty, or ends with `/`
 * @returns `next`: the last file of the page; null on the last page. Undefined if the subfolders alone fill the first page, or it takes too long
 * @throws AppError `unavailable`
 */
export async function readOrderedPage(
  database: Pick<Database, "$queryInTurn">,
  caller: string,
  { id }: Pick<UsableCatalogue, "id">,
  prefix: string,
  { order, after, pageSize, limitMs, signal }: OrderedPageOptions,
) {
  const endsAt = performance.now() + limitMs;
  const stored = toStoredKey(prefix);
  const folders = new Set<string>();
  /** those that come first, one more than a page has: then there is a next one */
  let first: PlaceInOrder[] = [];
  for (let range: KeyRange | null = rangeOf(prefix); range !== null; ) {
    if (performance.now() >= endsAt || signal?.aborted) return undefined;
    const part = await readPart(database, caller, id, stored, range, {
      order,
      after,
      until: first[pageSize] ?? null,
      limit: MAX_ROWS,
      maxFiles: pageSize + 1,
      maxFolders: pageSize + 1,
    });
    if (after === null) for (const folder of part.folders) folders.add(folder);
    if (folders.size >= pageSize) return undefined;
    first = [...first, ...part.files]
      .sort((one, other) => comparePlaces(one, other, order))
      .slice(0, pageSize + 1);
    const isRead = part.rows < MAX_ROWS || part.last === null;
    range = isRead ? null : restOf(part.last ?? "", range);
  }
  const page = first.slice(0, pageSize - folders.size);
  const files = await readFiles(
    database,
    caller,
    id,
    page.map(({ key }) => key),
  );
  return {
    folders: [...folders].map(fromStoredKey),
    files: page.flatMap(({ key }) => files.get(key) ?? []),
    next: page.length < first.length ? (page.at(-1) ?? null) : null,
  };

  /** What comes after a key, and after the subfolder that it is in. One of which only deleted objects were read may still have others. */
  function restOf(key: string, range: KeyRange): KeyRange {
    const slash = key.indexOf("/", stored.length);
    const isSkipped = slash !== -1 && (after !== null || folders.has(key.slice(0, slash + 1)));
    return isSkipped ? { from: `${key.slice(0, slash)}0`, before: range.before } : rangeAfter(key, range);
  }
}
