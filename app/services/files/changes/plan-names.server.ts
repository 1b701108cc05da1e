import type { ServiceTools } from "../../../embed/service";
import { mapConcurrently } from "../../../map-concurrently";
import { joinPath } from "../folder-path";
import { numberedName, takeNumber } from "../transfers/numbered-name";
import { type ChangeItem, keyOrPrefix, nameOf, parentOf, prefixOf, type Target } from "./change-items";
import { isCopyOf } from "./recognize-copy.server";

type StoreTools = Pick<ServiceTools, "objectStore" | "request">;
const AT_ONCE = 16;

/**
 * The places in `items` of those whose name is taken, of some of them. A file of the same bytes takes no name: it is what an earlier attempt of this request
 * has left. Neither is one taken from a file that is gone: it has been moved there.
 */
export async function findConflicts(
  bucket: string,
  items: readonly ChangeItem[],
  targets: readonly Target[],
  { from, until, isMove }: { from: number; until: number; isMove: boolean },
  { objectStore, request }: StoreTools,
): Promise<number[]> {
  const isTaken = async (target: Target, item: ChangeItem): Promise<boolean> => {
    if (target.isTwice) return true;
    const key = keyOrPrefix(target);
    if (target.isFolder) return isFolderThere(bucket, key, { objectStore, request });
    const there = await objectStore.describeObject({ bucket, key }, request);
    if (there === null || item.path === target.path) return there !== null;
    const place = { bucket, key: keyOrPrefix(item), to: key, isMove };
    const source = await objectStore.describeObject(place, request);
    return source !== null && !(await isCopyOf(source, there, place, { objectStore, request }));
  };
  const asked = [...targets.entries()].slice(from, until);
  const taken = await mapConcurrently(asked, AT_ONCE, async ([index, target]) => {
    const item = items[index];
    return item !== undefined && (await isTaken(target, item)) ? index : [];
  });
  return taken.flat();
}

export async function isFolderThere(
  bucket: string,
  prefix: string,
  { objectStore, request }: StoreTools,
): Promise<boolean> {
  const page = { bucket, prefix, after: undefined, pageSize: 1 };
  return (await objectStore.listBelow(page, request)).entries.length > 0;
}

/**
 * How often each target's name has to be numbered on until neither the store nor another target has it; 0 where it is free.
 * @param placed other targets that have their names
 */
export async function chooseNumbers(
  bucket: string,
  targets: readonly Target[],
  tools: StoreTools,
  placed: readonly Target[] = [],
): Promise<number[]> {
  // A thousand files of one name ask once what there is, and count on from each other.
  const places = new Map(targets.map((target) => [keyOrPrefix(target), target]));
  const listed = await mapConcurrently([...places], AT_ONCE, async ([place, target]) => {
    return [place, { names: await namesLike(bucket, target, tools), next: 0 }] satisfies [string, object];
  });
  const there = new Map(listed);
  const chosen = new Set(placed.map(({ path }) => path));
  return targets.map((target) => {
    const place = there.get(keyOrPrefix(target)) ?? { names: new Set(), next: 0 };
    const isFree = ({ path }: ChangeItem) => !chosen.has(path) && !place.names.has(nameOf(path));
    let number = place.next;
    while (!isFree(numbered(target, number))) number += 1;
    place.next = number + 1;
    chosen.add(numbered(target, number).path);
    return number;
  });
}

/** The target, its name numbered on so often. */
export function numbered<Place extends ChangeItem>(target: Place, times: number): Place {
  const name = numberedName(nameOf(target.path), target.isFolder, times);
  return { ...target, path: joinPath(parentOf(target.path), name) };
}

/** The names that the target's own could meet, numbered or not: none where its own is free. */
async function namesLike(bucket: string, target: ChangeItem, tools: StoreTools): Promise<Set<string>> {
  const { objectStore, request } = tools;
  const key = keyOrPrefix(target);
  const isTaken = target.isFolder
    ? await isFolderThere(bucket, key, tools)
    : (await objectStore.describeObject({ bucket, key }, request)) !== null;
  if (!isTaken) return new Set();
  const name = nameOf(target.path);
  const names = new Set([name]);
  const folder = prefixOf(parentOf(target.path));
  const prefix = `${folder}${takeNumber(name, target.isFolder).stem} (`;
  let cursor: string | undefined;
  do {
    const page = await objectStore.list({ bucket, prefix, cursor, pageSize: 1_000 }, request);
    const found = [...page.prefixes, ...page.objects.map((object) => object.key)];
    for (const place of found) names.add(place.slice(folder.length).replace(/\/$/, ""));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return names;
}
