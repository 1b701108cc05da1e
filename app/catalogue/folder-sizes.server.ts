import type { Database } from "../providers/database.server";
import { sumParts } from "./folder-sizes.sql.server";
import { rangeAfter, rangeOf } from "./key-range";
import type { UsableCatalogue } from "./usable-catalogues.server";

/** Rows that one statement reads, of all folders together: some 20 ms. */
const MAX_ROWS = 100_000;

/** What a folder contains, with everything below it. */
export interface FolderSize {
  /** number of objects that exist */
  objects: number;
  /** number of files: of the objects, those that are not the marker of a folder */
  files: number;
  bytes: number;
}

/**
 * Counts the objects in folders and their bytes. Each statement reads equally many rows of the folders that are not counted yet, so that small ones are
 * counted first, and a large one holds up nobody.
 * @param caller whose turn it is: the company that asks
 * @param prefixes what the keys in each folder start with: empty, or ends with `/`
 * @param options `limitMs`: no further statement begins after it, milliseconds; by default, all is counted. `signal` ends the counting
 * @returns in the order of the prefixes; null for a folder that takes longer, or was not counted to its end before `signal`
 * @throws AppError `unavailable`
 */
export async function sumFolders(
  database: Pick<Database, "$queryInTurn">,
  caller: string,
  { id }: Pick<UsableCatalogue, "id">,
  prefixes: readonly string[],
  { limitMs = Number.POSITIVE_INFINITY, signal }: { limitMs?: number; signal?: AbortSignal | undefined },
): Promise<(FolderSize | null)[]> {
  const endsAt = performance.now() + limitMs;
  const sizes = prefixes.map((): FolderSize | null => null);
  let open = prefixes.map((prefix, at) => ({ at, range: rangeOf(prefix), objects: 0, files: 0, bytes: 0 }));
  while (open.length > 0 && performance.now() < endsAt && !signal?.aborted) {
    const limit = Math.ceil(MAX_ROWS / open.length);
    const ranges = open.map(({ range }) => range);
    const parts = await sumParts(database, caller, id, ranges, limit);
    for (const { index, objects, files, bytes, rows, last } of parts) {
      const folder = open[index];
      if (folder === undefined) continue;
      folder.objects += objects;
      folder.files += files;
      folder.bytes += bytes;
      if (rows < limit || last === null) {
        const { at, range: _, ...size } = folder;
        sizes[at] = size;
      } else folder.range = rangeAfter(last, folder.range);
    }
    open = open.filter(({ at }) => sizes[at] === null);
  }
  return sizes;
}
