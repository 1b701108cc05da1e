import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { compareKeys } from "../../../providers/listings.server";
import { mapConcurrently } from "../../../shared/map-concurrently";
import type { KeyMatcher } from "./match-keys.server";
import { searchBudget } from "./search-budget.server";

/** Maximum number of folders that one request lists at a time. */
const MAX_CONCURRENT_FOLDERS = 4;
/** With more subfolders than this, listing all keys in one sequence takes fewer requests than listing each subfolder. */
const MAX_SUBFOLDERS = 100;

/** How far a search by listing has come. */
export const storePositionSchema = z.object({
  source: z.literal("store"),
  /** folders listed in part: what their keys start with, and the last key that was looked at */
  open: z.array(z.tuple([z.string(), z.string()])),
  /** the first subfolder whose keys have not been listed; null when there is none */
  next: z.string().nullable(),
});
type Position = z.infer<typeof storePositionSchema>;

/** Where a search looks. */
interface Place {
  bucket: string;
  /** what all keys start with */
  prefix: string;
}

/** A folder that is listed together with everything below it. */
interface Folder {
  /** what its keys start with */
  prefix: string;
  /** the last key that was looked at; undefined before the first, null when all of them have been */
  after: string | undefined | null;
  isStarted: boolean;
}

/**
 * Searches by listing the store, which has no index of names: a thousand keys per request, and several subfolders at a time.
 * @param position where the request before stopped
 * @returns where the next request goes on; null at the end
 * @throws AppError as `ObjectStore.list`
 */
export async function searchStore(
  place: Place,
  matcher: KeyMatcher,
  position: Position | undefined,
  tools: ServiceTools,
): Promise<Position | null> {
  const { bucket } = place;
  const folders =
    position === undefined
      ? await firstFolders(place, matcher, tools)
      : await remainingFolders(place, position, tools);

  const budget = searchBudget(matcher, tools, position === undefined);
  const { signal } = budget;
  let pages = 0;
  let failure: { error: unknown } | undefined;
  const isOver = () => failure !== undefined || budget.isOver();
  const listFolder = async (folder: Folder) => {
    while (folder.after !== null && !isOver()) {
      folder.isStarted = true;
      const { prefix, after } = folder;
      const page = await tools.objectStore.listBelow({ bucket, prefix, after, signal }, tools.context);
      folder.after = matcher.lookAt(page.entries, prefix, after) ?? page.next;
      pages += 1;
    }
  };
  await mapConcurrently(folders, MAX_CONCURRENT_FOLDERS, (folder) =>
    listFolder(folder).catch((error: unknown) => {
      if (error !== signal.reason) failure ??= { error };
    }),
  );
  // Otherwise the hits are returned, and the next request starts with the listing that failed.
  if (failure !== undefined && pages === 0) throw failure.error;

  return positionIn(folders);
}

const newFolder = (prefix: string): Folder => ({ prefix, after: undefined, isStarted: false });

/**
 * Looks at what lies in the folder itself, and returns its subfolders; the whole folder if it has none or too many
 * to list one by one.
 */
async function firstFolders(
  { bucket, prefix }: Place,
  matcher: KeyMatcher,
  { objectStore, context }: ServiceTools,
): Promise<Folder[]> {
  const page = await objectStore.list({ bucket, prefix }, context);
  const isFlat = page.prefixes.length === 0;
  if (!isFlat && (page.nextCursor !== null || page.prefixes.length > MAX_SUBFOLDERS)) {
    return [{ prefix, after: undefined, isStarted: true }];
  }
  // A page of a list has at most as many objects as a request has hits, so it is looked at whole.
  matcher.lookAt(page.objects, prefix);
  const last = page.nextCursor === null ? undefined : page.objects.at(-1);
  if (last !== undefined) return [{ prefix, after: last.key, isStarted: true }];
  for (const folder of page.prefixes) matcher.lookAtFolder(folder);
  return page.prefixes.map(newFolder);
}

/** The folders that earlier requests have listed in part, then the subfolders that they have not begun. */
async function remainingFolders(
  { bucket, prefix }: Place,
  { open, next }: Position,
  { objectStore, context }: ServiceTools,
): Promise<Folder[]> {
  const started = open.map(([folder, after]) => ({
    prefix: folder,
    after: after || undefined,
    isStarted: true,
  }));
  if (next === null) return started;
  const page = await objectStore.list({ bucket, prefix }, context);
  const isRemaining = (folder: string) => compareKeys(folder, next) >= 0;
  return [...started, ...page.prefixes.filter(isRemaining).map(newFolder)];
}

/** Where the next request continues; null when everything has been listed. */
function positionIn(folders: readonly Folder[]): Position | null {
  const open = folders
    .filter(({ isStarted, after }) => isStarted && after !== null)
    .map(({ prefix, after }): [string, string] => [prefix, after ?? ""]);
  const next = folders.find(({ isStarted }) => !isStarted)?.prefix ?? null;
  return open.length === 0 && next === null ? null : { source: "store", open, next };
}
