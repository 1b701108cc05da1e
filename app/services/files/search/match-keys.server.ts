import { isFolderMarker } from "platform-embed-element/client";
import type { ListedObject } from "../../../providers/listings.server";
import { foldedMatcher, foldName, nameMatcher } from "../../../shared/fold-name";
import { type FileFilter, fileFilter, isFiltering } from "../browse/file-filter";
import { fileEntry, folderEntry } from "../browse/key-rows.server";
import type { SearchResult } from "../place/contract/search-contract.server";

/** One request stops at this number of hits. The last key, and pages that are under way, may add the folders around one key each. */
export const MAX_HITS = 1_000;
/** Of one page: its thousand keys may be in hundreds of folders each, and comparing their names holds up everybody else. */
const MAX_NEW_FOLDERS = 20_000;

type Hits = Pick<SearchResult, "files" | "folders" | "scanned">;
export type KeyMatcher = ReturnType<typeof matchKeys>;

/**
 * Collects the files and folders below `searched` that match `query` and `filter`, from pages of keys in the store's order. A folder exists
 * because keys lie in it: it is found with the first of them. A filter leaves out all folders.
 * @param searched what the keys of the searched folder start with
 */
export function matchKeys(query: string, searched: string, filter: FileFilter = {}) {
  const isMatch = nameMatcher(query);
  const isFoldedMatch = foldedMatcher(query);
  const isWanted = fileFilter(filter);
  const hasFolders = !isFiltering(filter);
  const foldersAbove = (prefix: string) => prefix.slice(searched.length, prefix.lastIndexOf("/") + 1);
  const hits: Hits = { files: [], folders: [], scanned: 0 };

  const lookAtFile = (object: Omit<ListedObject, "modified">): void => {
    if (isFolderMarker(object.key, object.size)) return;
    hits.scanned += 1;
    const file = fileEntry(object);
    if (isWanted(file) && isMatch(file.name, foldersAbove(object.key))) hits.files.push(file);
  };

  return {
    hits,
    lookAtFile,
    get count(): number {
      return hits.files.length + hits.folders.length;
    },

    /**
     * Looks at one page of the keys below `prefix`, until there is enough for one response.
     * @param after the last key of the previous page
     * @returns the last key that was looked at, to continue after it; undefined when that was the whole page
     */
    lookAt(objects: readonly ListedObject[], prefix: string, after = prefix): string | undefined {
      let foldersBefore = foldersOf(after, prefix);
      let newFolders = 0;
      for (const object of objects) {
        const { key } = object;
        const folders = foldersOf(key, prefix);
        const firstNew = !hasFolders ? -1 : folders.findIndex((name, depth) => name !== foldersBefore[depth]);
        foldersBefore = folders;
        if (firstNew !== -1) {
          newFolders += folders.length - firstNew;
          let end = folders.slice(0, firstNew).reduce((at, { length }) => at + length + 1, prefix.length);
          // Folded level by level: folding the whole path for each folder takes the square of their number.
          let around = foldName(key.slice(searched.length, end));
          for (const name of folders.slice(firstNew)) {
            const folded = foldName(name);
            const foldedAround = around;
            end += name.length + 1;
            if (isFoldedMatch(folded, () => foldedAround)) hits.folders.push(folderEntry(key.slice(0, end)));
            around += `${folded}/`;
          }
        }
        lookAtFile(object);
        if (this.count >= MAX_HITS || newFolders > MAX_NEW_FOLDERS) return key;
      }
      return undefined;
    },

    /** @param prefix the keys in the folder start with it */
    lookAtFolder(prefix: string): void {
      if (!hasFolders) return;
      const folder = folderEntry(prefix);
      if (isMatch(folder.name, foldersAbove(prefix.slice(0, -1)))) hits.folders.push(folder);
    },
  };
}

/** The names of the folders between `prefix` and the object. */
const foldersOf = (key: string, prefix: string) => key.slice(prefix.length).split("/").slice(0, -1);
