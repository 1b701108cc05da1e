import { isBelow, joinPath } from "../folder-path";

/** A file or a folder that is copied, moved or deleted. */
export interface ChangeItem {
  /** starts with /, does not end with one */
  path: string;
  isFolder: boolean;
}

/** What was asked for, each once; what lies in a folder that is also named goes with it. */
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

/** Those that lie in a folder that is one of them. In order, they come right after it. */
function itemsInside(items: readonly ChangeItem[]): Set<ChangeItem> {
  const inside = new Set<ChangeItem>();
  const inOrder = items.map((item) => ({ item, place: keyOrPrefix(item) }));
  inOrder.sort((one, other) => (one.place < other.place ? -1 : 1));
  let folder: string | undefined;
  for (const { item, place } of inOrder) {
    if (folder !== undefined && place.startsWith(folder)) inside.add(item);
    else if (item.isFolder) folder = place;
  }
  return inside;
}

/** The folder that `/a/b` lies in: `/a`; of `/a` it is `/`. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 1));
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What the keys of all objects in a folder start with; empty for the bucket's root. */
export function prefixOf(folderPath: string): string {
  return folderPath === "/" ? "" : `${folderPath.slice(1)}/`;
}

/** An item's key, or what the keys of a folder start with. */
export function keyOrPrefix({ path, isFolder }: ChangeItem): string {
  return isFolder ? prefixOf(path) : path.slice(1);
}

/** Where an item goes. */
export interface Target extends ChangeItem {
  /** It would take the place of another item of the same request. */
  isTwice: boolean;
}

/** Where each item goes in `to`, under its own name or the one that was given. */
export function targetsOf(items: readonly ChangeItem[], to: string, name: string | undefined): Target[] {
  const targets = items.map(({ path, isFolder }) => ({
    path: joinPath(to, name ?? nameOf(path)),
    isFolder,
  }));
  const isStaying = (index: number) => items[index]?.path === targets[index]?.path;
  // What is there already keeps its place, whatever the order.
  const seen = new Set(targets.filter((_, index) => isStaying(index)).map(keyOrPrefix));
  return targets.map((target, index) => {
    const place = keyOrPrefix(target);
    const isTwice = seen.has(place) && !isStaying(index);
    seen.add(place);
    return { ...target, isTwice };
  });
}

/** Whether one of the items lies where another, a folder, replaces what is there: it would be replaced before its turn comes. */
export function liesInReplaced(items: readonly ChangeItem[], targets: readonly Target[]): boolean {
  const replaced = targets.filter(
    ({ path, isFolder, isTwice }, index) => isFolder && !isTwice && path !== items[index]?.path,
  );
  const inside = itemsInside([...replaced, ...items]);
  return items.some((item) => inside.has(item));
}

/** Why a folder cannot go there, as the end of a sentence ("must …"); null when it can. */
export function issueOfTarget(item: ChangeItem, target: ChangeItem, merges: boolean): string | null {
  if (!item.isFolder || item.path === target.path) return null;
  if (isBelow(target.path, item.path)) return "must not be the folder itself, or in it";
  // Its objects would take the place of others of its own that have not been moved yet.
  if (merges && isBelow(item.path, target.path)) return "must not make a folder replace one that it lies in";
  return null;
}
