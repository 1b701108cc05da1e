import { isBelow, joinPath, nameOf, prefixOf } from "platform-embed-element/client";

/** A file or a folder that is copied, moved or deleted. */
export interface ChangeItem {
  /** starts with /, does not end with one */
  path: string;
  isFolder: boolean;
}

/** The requested items without duplicates, and without those that are in a requested folder: they are handled with it. */
export function readItems(requested: readonly ({ key: string } | { folderPath: string })[]): ChangeItem[] {
  const folders = new Set(requested.flatMap((item) => ("folderPath" in item ? item.folderPath : [])));
  const files = new Set(requested.flatMap((item) => ("key" in item ? `/${item.key}` : [])));
  const items = [
    ...[...folders].map((path) => ({ path, isFolder: true })),
    ...[...files].map((path) => ({ path, isFolder: false })),
  ];
  const inNamedFolder = itemsInside(items);
  return items.filter((item) => !inNamedFolder.has(item));
}

/** The items that are in a folder that is itself one of the items. */
function itemsInside(items: readonly ChangeItem[]): Set<ChangeItem> {
  const inside = new Set<ChangeItem>();
  // Sorted by key, the content of a folder follows the folder.
  const inOrder = items.map((item) => ({ item, key: keyOrPrefix(item) }));
  inOrder.sort((one, other) => (one.key < other.key ? -1 : 1));
  let folder: string | undefined;
  for (const { item, key } of inOrder) {
    if (folder !== undefined && key.startsWith(folder)) inside.add(item);
    else if (item.isFolder) folder = key;
  }
  return inside;
}

/** The key of a file; for a folder, what the keys of its objects start with. */
export function keyOrPrefix({ path, isFolder }: ChangeItem): string {
  return isFolder ? prefixOf(path) : path.slice(1);
}

/** Where an item goes. */
export interface Target extends ChangeItem {
  /** another item of the request goes to the same place */
  isDuplicate: boolean;
}

/** Where each item goes: into the folder `to`, under its own name or `name`. */
export function targetsOf(items: readonly ChangeItem[], to: string, name: string | undefined): Target[] {
  const targets = items.map(({ path, isFolder }) => ({
    path: joinPath(to, name ?? nameOf(path)),
    isFolder,
  }));
  const staysInPlace = (index: number) => items[index]?.path === targets[index]?.path;
  // An item that stays where it is keeps its name, whatever the order.
  const seen = new Set(targets.filter((_, index) => staysInPlace(index)).map(keyOrPrefix));
  return targets.map((target, index) => {
    const key = keyOrPrefix(target);
    const isDuplicate = seen.has(key) && !staysInPlace(index);
    seen.add(key);
    return { ...target, isDuplicate };
  });
}

/** Whether any item is in a folder that another item replaces: it would be overwritten before it is copied. */
export function areInReplacedFolder(items: readonly ChangeItem[], targets: readonly Target[]): boolean {
  const replaced = targets.filter(
    ({ path, isFolder, isDuplicate }, index) => isFolder && !isDuplicate && path !== items[index]?.path,
  );
  const inside = itemsInside([...replaced, ...items]);
  return items.some((item) => inside.has(item));
}

/** Why a folder cannot go to its target, as the end of a sentence ("must …"); null when it can. */
export function issueOfTarget(item: ChangeItem, target: ChangeItem, merges: boolean): string | null {
  if (!item.isFolder || item.path === target.path) return null;
  if (isBelow(target.path, item.path)) return "must not be the folder itself or inside it";
  // Its objects could overwrite objects of its own that have not been moved yet.
  if (merges && isBelow(item.path, target.path)) return "must not make a folder replace one that contains it";
  return null;
}
