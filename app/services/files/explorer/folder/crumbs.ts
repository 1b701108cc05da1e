import { joinPath } from "../../folder-path";

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

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
