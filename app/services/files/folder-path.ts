/**
 * Folder paths: `/` for the root, otherwise `/a/b`. An S3 key is the path without its leading slash. A malformed path is refused and never
 * repaired: if one place had two spellings, a check of the scope could be evaded. docs/contract.md#scope-of-files
 */

/** UTF-8; the limit of S3 keys. */
export const MAX_PATH_BYTES = 1024;

/** in UTF-8 */
export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** What is wrong with a folder path, as the end of a sentence ("must …"); null when it is valid. */
export function issueOfFolderPath(path: string): string | null {
  if (!path.startsWith("/")) return "must start with /";
  if (path === "/") return null;
  if (byteLength(path) > MAX_PATH_BYTES) {
    return `must be at most ${MAX_PATH_BYTES} bytes long`;
  }
  for (const segment of path.slice(1).split("/")) {
    const issue = issueOfSegment(segment);
    if (issue !== null) return issue;
  }
  return null;
}

/** What is wrong with the name of a file or folder, as the end of a sentence ("must …"); null when it is valid. */
export function issueOfSegment(name: string): string | null {
  if (name === "") return "must not have an empty segment, nor end with /";
  if (name === "." || name === "..") return "must not have . or .. as a segment";
  if (name.includes("/")) return "must not contain /";
  if (name.includes("\\")) return "must not contain a backslash";
  // Unicode category Cc: C0, DEL and C1.
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  // Half a surrogate pair has no UTF-8 form: two such names would become the same key.
  if (/\p{Cs}/u.test(name)) return "must be well-formed Unicode";
  return null;
}

/** Whether a folder is `folder` or below it, by whole segments: `/docs/a` is inside `/docs`, `/docs-old` is not. Both must be valid. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Why a page that wants to start at `path` cannot open it below `rootPath`; null if it can. */
export function refusalOfStartPath(
  path: string,
  rootPath: string,
): "path_invalid" | "scope_not_allowed" | null {
  if (issueOfFolderPath(path) !== null) return "path_invalid";
  return isInside(path, rootPath) ? null : "scope_not_allowed";
}

/** Whether a file or folder is below `folder`: `/docs/a` is below `/docs`, an object named `/docs` is not. Both must be valid. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "/" ? path !== "/" : path.startsWith(`${folder}/`);
}

/** The path of `name` in `folder`: `/a.txt` in `/`, `/docs/a.txt` in `/docs`. */
export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** The S3 key of the file `name` in `folder`. */
export function objectKey(folder: string, name: string): string {
  return joinPath(folder, name).slice(1);
}

/** The path of an object. The own object of a folder, `docs/`, has the folder's path. */
export function pathOfKey(key: string): string {
  return `/${key.replace(/\/$/, "")}`;
}

/** The folder that contains `/a/b`: `/a`; for `/a` it is `/`. */
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
