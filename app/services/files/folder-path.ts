/**
 * Folder paths: `/` for the root, else `/a/b`. They name places in a bucket; an S3 key is the path without its leading slash.
 * Whatever is out of form is refused, never repaired: two spellings of one place are how a scope is left.
 * docs/contract.md#embed-tokens
 */

/** UTF-8 bytes; an S3 key's own limit. */
export const MAX_PATH_BYTES = 1024;

/** in UTF-8 */
export const byteLength = (text: string) => new TextEncoder().encode(text).length;

/** Why `path` is no folder path, as the end of a sentence ("must …"), or null when it is one. */
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

/** Why `name` cannot be one segment of a path (a folder's or file's name), or null when it can. */
export function issueOfSegment(name: string): string | null {
  if (name === "") return "must not have an empty segment, nor end with /";
  if (name === "." || name === "..") return "must not have . or .. as a segment";
  if (name.includes("/")) return "must not contain /";
  if (name.includes("\\")) return "must not contain a backslash";
  // Unicode's Cc: C0, DEL and C1.
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  // Half of a surrogate pair has no UTF-8 form: two such names would become one key.
  if (/\p{Cs}/u.test(name)) return "must be well-formed Unicode";
  return null;
}

/**
 * Whether a folder is `folder` or lies in it, by whole segments: `/docs` holds `/docs` and `/docs/a`, not `/docs-old`. Both in
 * form. For a file, ask `isBelow`.
 */
export function isInside(path: string, folder: string): boolean {
  return path === folder || isBelow(path, folder);
}

/** Whether a file lies in `folder`: `/docs` holds the file `/docs/a`, not an object whose name is `docs`. Both in form. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "/" ? path !== "/" : path.startsWith(`${folder}/`);
}

/** The path of `name` in `folder`: `/a.txt` in `/`, `/docs/a.txt` in `/docs`. */
export function joinPath(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
