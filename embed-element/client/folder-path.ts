import { issueOfFileName } from "./file-name.js";

/**
 * Folder paths and S3 keys: the one place that decides where an object is shown, and under which name.
 *
 * - A folder is what its keys begin with, up to a slash: its prefix. `docs/a.txt` is in the folder `docs/`, whose path is `/docs`. The bucket's
 *   root has the empty prefix, and the path `/`.
 * - A folder's name may be anything that an S3 key may contain, also nothing: `a//b` is in the folder `a//`, whose path is `/a//`. Only
 *   the path of a folder without a name ends with a slash, so each folder has exactly one path.
 * - An object of no bytes whose key ends with a slash is the folder's own, and is not shown as a file. With content, it is a file in that folder.
 * - What we create has a plain name (`issueOfFileName`). What others have stored is named in requests as it is, and never repaired: if one
 *   place had two spellings, a check of the scope could be evaded. docs/contract.md#names-and-keys
 */

/** UTF-8; the limit of S3 keys. */
export const MAX_PATH_BYTES = 1024;

/** in UTF-8 */
export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/**
 * The path of a folder without a slash at its end, which people write: `/docs` for `/docs/`. The bucket's root and a folder without a name
 * keep theirs, so the result is the same folder's only path.
 */
export function withoutFinalSlash(path: string): string {
  return path === "/" || path.endsWith("//") ? path : withoutSlash(path);
}

/** What is wrong with the path of a folder that may be created, as the end of a sentence ("must …"); null when it is valid. */
export function issueOfFolderPath(path: string): string | null {
  if (!path.startsWith("/")) return "must start with /";
  if (path === "/") return null;
  if (byteLength(path) > MAX_PATH_BYTES) {
    return `must be at most ${MAX_PATH_BYTES} bytes long`;
  }
  for (const segment of path.slice(1).split("/")) {
    const issue = issueOfFileName(segment);
    if (issue !== null) return issue;
  }
  return null;
}

/** What is wrong with the path of a folder that may exist, as the end of a sentence ("must …"); null when it is valid. */
export function issueOfStoredFolder(path: string): string | null {
  if (!path.startsWith("/")) return "must start with /";
  if (folderPathOf(prefixOf(path)) !== path) return "must not end with /, unless its last folder has no name";
  return prefixOf(path) === "" ? null : issueOfStoredKey(prefixOf(path));
}

/** What is wrong with the key of an object that may exist, as the end of a sentence ("must …"); null when it is valid. */
export function issueOfStoredKey(key: string): string | null {
  if (key === "") return "must not be empty";
  if (byteLength(key) > MAX_PATH_BYTES) return `must be at most ${MAX_PATH_BYTES} bytes long`;
  if (/\p{Cs}/u.test(key)) return "must be well-formed Unicode";
  return null;
}

/**
 * Whether a browser can fetch the object. Browsers resolve `.` and `..` in URLs, percent-encoded or not, so a URL with such a segment would
 * name another object. URL Standard, "path state".
 */
export function isAddressable(key: string): boolean {
  return !key.split("/").some((segment) => segment === "." || segment === "..");
}

/** Whether an object is a folder's own, which marks the folder and has no content. @param size bytes */
export const isFolderMarker = (key: string, size: number): boolean => key.endsWith("/") && size === 0;

/** Whether a folder is `folder` or below it, by whole segments: `/docs/a` is inside `/docs`, `/docs-old` is not. Both must be valid. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Why a page that wants to start at `path` cannot open it below `rootPath`; null if it can. */
export function refusalOfStartPath(
  path: string,
  rootPath: string,
): "path_invalid" | "scope_not_allowed" | null {
  if (issueOfStoredFolder(path) !== null) return "path_invalid";
  return isInside(path, rootPath) ? null : "scope_not_allowed";
}

/**
 * Whether a file or folder is below `folder`: `/docs/a` is below `/docs`, an object named `/docs` is not. Both must be valid. The path of a file
 * is its key after a slash.
 */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && path.startsWith(`/${prefixOf(folder)}`);
}

/** The path of `name` in `folder`: `/a.txt` in `/`, `/docs/a.txt` in `/docs`. Only a folder may have no name: `/docs//`. */
export function joinPath(folder: string, name: string): string {
  return name === "" ? folderPathOf(`${prefixOf(folder)}/`) : `/${prefixOf(folder)}${name}`;
}

/** The S3 key of the file `name` in `folder`. */
export function objectKey(folder: string, name: string): string {
  return joinPath(folder, name).slice(1);
}

/** The path of an object. The own object of a folder, `docs/`, has the folder's path. */
export function pathOfKey(key: string): string {
  return key.endsWith("/") ? folderPathOf(key) : `/${key}`;
}

/** The folder that a file is in. The own object of a folder is in that folder. */
export function folderOfKey(key: string): string {
  return folderPathOf(key.slice(0, key.lastIndexOf("/") + 1));
}

/** The name of a file: what follows its folder. The own object of a folder has the folder's name and a slash. */
export function nameOfKey(key: string): string {
  return key.endsWith("/") ? `${nameOf(folderPathOf(key))}/` : nameOf(key);
}

/** The folder that contains the folder or file `/a/b`: `/a`; for `/a` it is `/`. */
export function parentOf(path: string): string {
  const own = withoutSlash(path.slice(1));
  return folderPathOf(own.slice(0, own.lastIndexOf("/") + 1));
}

/** The last segment of a path or key; empty for the bucket's root, and for a folder without a name. */
export function nameOf(path: string): string {
  const own = withoutSlash(path);
  return own.slice(own.lastIndexOf("/") + 1);
}

/** What the keys of all objects in a folder start with; empty for the bucket's root. */
export function prefixOf(folderPath: string): string {
  if (folderPath === "/") return "";
  return folderPath.endsWith("/") ? folderPath.slice(1) : `${folderPath.slice(1)}/`;
}

/** The path of the folder whose keys start with `prefix`, which is empty or ends with a slash. */
export function folderPathOf(prefix: string): string {
  const hasName = prefix !== "/" && !prefix.endsWith("//");
  return `/${hasName ? withoutSlash(prefix) : prefix}`;
}

const withoutSlash = (text: string) => (text.endsWith("/") ? text.slice(0, -1) : text);
