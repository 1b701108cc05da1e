import { isInside, joinPath } from "../../folder-path";

/** Folder paths as the API speaks them: `/` is the bucket's root, others start with `/` and end without one. */

/** The folder above `path`, or null at `rootPath`, the highest that may be browsed. */
export function parentFolder(path: string, rootPath: string): string | null {
  if (path === rootPath || !isInside(path, rootPath)) return null;
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export interface Crumb {
  name: string;
  path: string;
}

/** The way from `rootPath` down to `path`. The first crumb is the root; at the bucket's own root it bears `rootName`. */
export function breadcrumbs(path: string, rootPath: string, rootName: string): Crumb[] {
  const crumbs = [{ name: rootPath === "/" ? rootName : lastSegment(rootPath), path: rootPath }];
  let at = rootPath;
  for (const name of path.slice(rootPath === "/" ? 1 : rootPath.length + 1).split("/")) {
    if (name === "") continue;
    at = joinPath(at, name);
    crumbs.push({ name, path: at });
  }
  return crumbs;
}

/** The entry of `folder` that leads to `path`, somewhere below it. */
export function childTowards(folder: string, path: string): string {
  const end = path.indexOf("/", folder === "/" ? 1 : folder.length + 1);
  return end === -1 ? path : path.slice(0, end);
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
