import { AppError } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import { isBelow } from "../folder-path";
import { type ChangeItem, keyOrPrefix, parentOf, prefixOf } from "./change-items";
import { type Bounds, each, runBounded } from "./run-bounded";

type StoreTools = Pick<ServiceTools, "objectStore" | "request">;

/** The most that S3 lists at once. */
const PAGE = 1_000;

/**
 * A folder that nobody made is there only as long as it holds something. Where all that one holds is about to be taken away, it is made, so
 * that whoever has it open does not see it vanish: before, because a request that is killed afterwards leaves no trace of what was there.
 * Where there is nothing, nothing is made. docs/decisions/0067
 * @param staying where the items go: a folder that gets one of them stays by itself
 */
export async function keepFoldersOf(
  bucket: string,
  items: readonly ChangeItem[],
  staying: readonly ChangeItem[],
  bounds: Bounds,
  tools: StoreTools,
): Promise<void> {
  const taken = new Map<string, Set<string>>();
  for (const item of items) {
    const folder = parentOf(item.path);
    const children = taken.get(folder) ?? new Set();
    taken.set(folder, children.add(keyOrPrefix(item)));
  }
  taken.delete("/");
  const emptied = [...taken].filter(([folder]) => !staying.some(({ path }) => isBelow(path, folder)));
  // A folder of hundreds that would be too late is let go: nothing that it held is lost by that.
  await runBounded(each(emptied), bounds, async ([folder, children]) => {
    if (await holdsOnly(bucket, prefixOf(folder), children, tools)) await makeFolder(bucket, folder, tools);
  });
}

/** Whether there is something below `prefix`, and nothing but `children`, which are keys and what keys start with. */
async function holdsOnly(
  bucket: string,
  prefix: string,
  children: ReadonlySet<string>,
  { objectStore, request }: StoreTools,
): Promise<boolean> {
  const pageSize = Math.min(children.size + 1, PAGE);
  let isEmpty = true;
  let cursor: string | undefined;
  do {
    const page = await objectStore.list({ bucket, prefix, cursor, pageSize }, request);
    const found = [...page.prefixes, ...page.objects.map(({ key }) => key)];
    if (found.some((place) => !children.has(place))) return false;
    if (found.length > 0) isEmpty = false;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return !isEmpty;
}

async function makeFolder(bucket: string, folder: string, { objectStore, request }: StoreTools) {
  await objectStore.createFolder({ bucket, key: prefixOf(folder) }, request).catch((error: unknown) => {
    // Somebody has put something there meanwhile.
    const code = error instanceof AppError ? error.code : undefined;
    if (code !== "name_taken" && code !== "upload_conflict") throw error;
  });
}
