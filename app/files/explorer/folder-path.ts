/** Folder paths as the API speaks them: `/` is the bucket's root, others start with `/` and end without one. */

/** `/docs` holds `/docs` and `/docs/a`, not `/docs-old`. Decisions, section 5. */
export function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** The folder above `path`, or null at `rootPath`, which nobody can leave. */
export function parentFolder(path: string, rootPath: string): string | null {
  if (path === rootPath || !isWithin(path, rootPath)) return null;
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

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The S3 key of a file: its path without the leading slash. Decisions, section 7. */
export function fileKey(folder: string, name: string): string {
  return joinPath(folder, name).slice(1);
}
