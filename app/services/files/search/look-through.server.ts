import type { KeyPage } from "../../../providers/list-keys.server";
import { nameMatcher } from "../fold-name";
import { issueOfSegment } from "../folder-path";
import type { FileEntry, FolderEntry } from "../storage-contract.server";
import { commonLength } from "./key-order";

/** What a search has found so far. */
export interface Found {
  files: FileEntry[];
  folders: FolderEntry[];
  /** how many files were looked at */
  scanned: number;
}

/**
 * Looks through keys in the store's order for names that meet `query`. A folder is one because keys lie in it: it is found with the first of
 * them, and not again.
 * @param prefix what lies above is not looked at
 * @returns `look`, for a page's first `count` keys, the one before them being `after`; and what was found
 */
export function searchNames(query: string, prefix: string) {
  const isWanted = nameMatcher(query);
  const found: Found = { files: [], folders: [], scanned: 0 };

  /** The folders on the way to `key` that were not on the way to `before`. */
  function lookAtFolders(key: string, before: string): void {
    let start = Math.max(key.lastIndexOf("/", commonLength(key, before) - 1) + 1, prefix.length);
    for (let end = key.indexOf("/", start); end !== -1; end = key.indexOf("/", start)) {
      const name = key.slice(start, end);
      if (isWanted(name) && isPath(key.slice(prefix.length, end))) {
        found.folders.push({ name, path: `/${key.slice(0, end)}` });
      }
      start = end + 1;
    }
  }

  function look(page: KeyPage, count: number, after: string): void {
    let before = after;
    for (let index = 0; index < count; index++) {
      const key = page.keys[index] ?? "";
      const start = key.lastIndexOf("/") + 1;
      if (!before.startsWith(key.slice(0, start))) lookAtFolders(key, before);
      before = key;
      // The object that marks a folder.
      if (start === key.length) continue;
      found.scanned += 1;
      const name = key.slice(start);
      if (!isWanted(name) || !isPath(key.slice(prefix.length))) continue;
      const { size, lastModified, etag } = page.objectAt(index);
      found.files.push({ name, key, size, lastModified: lastModified.toISOString(), etag });
    }
  }

  return { look, found };
}

/** A key that is no path in form (`a//b`, `../x`) cannot be asked for either, so it is not shown. */
function isPath(path: string): boolean {
  return path.split("/").every((segment) => issueOfSegment(segment) === null);
}
