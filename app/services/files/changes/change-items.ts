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
  const isInNamedFolder = (path: string) => ancestorsOf(path).some((folder) => folders.has(folder));
  return [
    ...[...folders].map((path) => ({ path, isFolder: true })),
    ...[...files].map((path) => ({ path, isFolder: false })),
  ].filter(({ path }) => !isInNamedFolder(path));
}

/** `/a/b/c` lies in `/a/b` and `/a`. */
function ancestorsOf(path: string): string[] {
  const parent = parentOf(path);
  return parent === "/" ? [] : [parent, ...ancestorsOf(parent)];
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
  const seen = new Set<string>();
  return items.map(({ path, isFolder }) => {
    const target = { path: joinPath(to, name ?? nameOf(path)), isFolder };
    const place = keyOrPrefix(target);
    const isTwice = seen.has(place);
    seen.add(place);
    return { ...target, isTwice };
  });
}

/** Why a folder cannot go there, as the end of a sentence ("must …"); null when it can. */
export function issueOfTarget(item: ChangeItem, target: ChangeItem, merges: boolean): string | null {
  if (!item.isFolder || item.path === target.path) return null;
  if (isBelow(target.path, item.path)) return "must not be the folder itself, or in it";
  // Its objects would take the place of others of its own that have not been moved yet.
  if (merges && isBelow(item.path, target.path)) return "must not make a folder replace one that it lies in";
  return null;
}
