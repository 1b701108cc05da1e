import { isBelow, parentOf, prefixOf } from "platform-embed-element/client";
import type { ServiceTools, StoreTools } from "../../../embed/service";
import type { Author } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { hasCode } from "../../../shared/app-error";
import { type ChangeItem, keyOrPrefix } from "./change-items";
import { type Bounds, runBounded } from "./each-object.server";

/** Maximum number of keys in one page of S3. */
const MAX_PAGE_SIZE = 1_000;

/**
 * A folder without an object of its own exists only while it contains something. Creates the folders that this request
 * will empty, so that nobody sees the folder they have open disappear. This happens first: if the request is
 * interrupted later, nothing shows that the folder existed. docs/decisions/0067
 * @param added where the items go: a folder that receives one of them does not disappear
 */
export async function keepFoldersOf(
  bucket: string,
  items: readonly ChangeItem[],
  added: readonly ChangeItem[],
  bounds: Bounds,
  author: Author,
  tools: ServiceTools,
): Promise<void> {
  const taken = new Map<string, Set<string>>();
  for (const item of items) {
    const folder = parentOf(item.path);
    const children = taken.get(folder) ?? new Set();
    taken.set(folder, children.add(keyOrPrefix(item)));
  }
  taken.delete("/");
  const emptied = [...taken].filter(([folder]) => !added.some(({ path }) => isBelow(path, folder)));
  // Folders beyond the bounds are left out: they may disappear, but no file is lost.
  await runBounded(emptied, bounds, async ([folder, children]) => {
    if (await holdsOnly(bucket, prefixOf(folder), children, tools))
      await makeFolder({ bucket, key: prefixOf(folder) }, author, tools);
  });
}

/** Whether the folder is not empty and contains nothing but `children`: keys of files, and prefixes of folders. */
async function holdsOnly(
  bucket: string,
  prefix: string,
  children: ReadonlySet<string>,
  { objectStore, context }: StoreTools,
): Promise<boolean> {
  const pageSize = Math.min(children.size + 1, MAX_PAGE_SIZE);
  let isEmpty = true;
  let cursor: string | undefined;
  do {
    const page = await objectStore.list({ bucket, prefix, cursor, pageSize }, context);
    const found = [...page.prefixes, ...page.objects.map(({ key }) => key)];
    if (found.some((key) => !children.has(key))) return false;
    if (found.length > 0) isEmpty = false;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return !isEmpty;
}

async function makeFolder(
  folder: { bucket: string; key: string },
  author: Author,
  { objectStore, events, context }: ServiceTools,
): Promise<void> {
  const change = new PendingChange(events, { ...author, ...folder, type: "folder.created", data: {} });
  const create = () => objectStore.createFolder(folder, context);
  await change.run({}, create).catch((error: unknown) => {
    // Somebody else has created it meanwhile.
    if (!hasCode(error, "name_taken", "upload_conflict")) throw error;
  });
}
