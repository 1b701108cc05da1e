import { isInside, joinPath } from "../../folder-path";
import type { FolderEntry, Listing } from "../../storage-contract.server";

/** A folder whose own folders have been asked for. */
export interface Branch {
  isOpen: boolean;
  status: "loading" | "ready" | "failed";
  folders: readonly FolderEntry[];
  /** of the next page; null when there is none */
  cursor: string | null;
}

export type Branches = ReadonlyMap<string, Branch>;

/** A line of the tree. `more`: further folders of `path` are to be loaded; `failed`: they could not be. */
export interface TreeLine {
  kind: "folder" | "more" | "failed";
  path: string;
  name: string;
  /** from 1 */
  level: number;
  /** null where it is known that there is nothing below */
  isOpen: boolean | null;
  isLoading: boolean;
  /** among its siblings, from 1 */
  position: number;
  siblings: number;
}

/** The lines that can be seen, from top to bottom. */
export function linesOf(root: FolderEntry, branches: Branches): TreeLine[] {
  const lines: TreeLine[] = [];
  const add = (folder: FolderEntry, level: number, position: number, siblings: number) => {
    const branch = branches.get(folder.path);
    const isLeaf = branch?.status === "ready" && branch.folders.length === 0 && branch.cursor === null;
    const place = { path: folder.path, name: folder.name, level, position, siblings };
    const isLoading = branch?.status === "loading";
    lines.push({ ...place, kind: "folder", isOpen: isLeaf ? null : (branch?.isOpen ?? false), isLoading });
    if (!branch?.isOpen || isLeaf) return;
    const { folders, cursor, status } = branch;
    const last = status === "failed" ? "failed" : cursor === null ? null : "more";
    const count = folders.length + (last ? 1 : 0);
    for (const [index, child] of folders.entries()) add(child, level + 1, index + 1, count);
    if (last === null || isLoading) return;
    const end = { ...place, level: level + 1, position: count, siblings: count };
    lines.push({ ...end, kind: last, isOpen: null, isLoading: false });
  };
  add(root, 1, 1, 1);
  return lines;
}

export function withPage(before: Branch | undefined, { folders, nextCursor }: Listing): Branch {
  const known = new Map(before?.folders.map((folder) => [folder.path, folder]));
  for (const folder of folders) known.set(folder.path, folder);
  return { isOpen: true, status: "ready", folders: [...known.values()], cursor: nextCursor };
}

/** The folders from `root` down to `path`, both among them; `root` alone where `path` is not in it. */
export function wayTo(path: string, root: string): string[] {
  const way = [root];
  if (!isInside(path, root)) return way;
  let at = root;
  for (const name of path.slice(root === "/" ? 1 : root.length + 1).split("/")) {
    if (name === "") continue;
    at = joinPath(at, name);
    way.push(at);
  }
  return way;
}
