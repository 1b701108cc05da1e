import { numberedName } from "../../numbered-name";

/** Characters that some systems forbid in names, or that would lead out of the target folder when unpacking. Browsers replace the same ones in the names of downloads. */
const FORBIDDEN = /[\p{Cc}\p{Cs}<>:"/\\|?*]/gu;

/** A name that is valid on every system. */
export function safeName(name: string): string {
  const safe = name.replace(FORBIDDEN, "_");
  return safe === "" || safe === "." || safe === ".." ? "_".repeat(safe.length || 1) : safe;
}

/** Most systems ignore case and Unicode normalization. */
const same = (path: string) => path.normalize("NFC").toLowerCase();

/**
 * Paths in the archive for paths in the store: relative, safe to unpack on every system, and unique, so that unpacking never replaces a
 * file. A path that ends with `/` is a folder.
 */
export function entryPaths(paths: readonly string[]): string[] {
  const safe = paths.map((path) => {
    const isFolder = path.endsWith("/");
    const segments = (isFolder ? path.slice(0, -1) : path).split("/").map(safeName);
    return segments.join("/") + (isFolder ? "/" : "");
  });
  const folders = new Set<string>();
  for (const path of safe) {
    const folded = same(path);
    for (let at = folded.indexOf("/"); at !== -1; at = folded.indexOf("/", at + 1)) {
      folders.add(folded.slice(0, at));
    }
  }
  const taken = new Set<string>();
  return safe.map((path) => {
    if (path.endsWith("/")) return path;
    const start = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, start);
    let name = path.slice(start);
    while (taken.has(same(folder + name)) || folders.has(same(folder + name))) name = numberedName(name);
    taken.add(same(folder + name));
    return folder + name;
  });
}
