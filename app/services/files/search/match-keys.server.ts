import { isFolderMarker } from "platform-embed-element/client";
import type { ListedObject } from "../../../providers/listings.server";
import { nameMatcher } from "../../../shared/fold-name";
import { fileEntry, folderEntry } from "../browse/key-rows.server";
import type { SearchResult } from "../place/contract/search-contract.server";

type Hits = Omit<SearchResult, "cursor">;
export type KeyMatcher = ReturnType<typeof matchKeys>;

/**
 * Collects the files and folders below `searched` that match `query`, from pages of keys in the store's order. A folder exists
 * because keys lie in it: it is found with the first of them.
 * @param searched what the keys of the searched folder start with
 */
export function matchKeys(query: string, searched: string) {
  const isMatch = nameMatcher(query);
  const foldersAbove = (prefix: string) => prefix.slice(searched.length, prefix.lastIndexOf("/") + 1);
  const hits: Hits = { files: [], folders: [], scanned: 0 };

  return {
    hits,
    get count(): number {
      return hits.files.length + hits.folders.length;
    },

    /**
     * Looks at one page of the keys below `prefix`.
     * @param after the last key of the previous page
     */
    lookAt(objects: readonly ListedObject[], prefix: string, after = prefix): void {
      let foldersBefore = foldersOf(after, prefix);
      for (const object of objects) {
        const folders = foldersOf(object.key, prefix);
        const firstNew = folders.findIndex((name, depth) => name !== foldersBefore[depth]);
        foldersBefore = folders;
        if (firstNew !== -1) {
          for (let depth = firstNew; depth < folders.length; depth++) {
            this.lookAtFolder(`${prefix}${folders.slice(0, depth + 1).join("/")}/`);
          }
        }
        if (isFolderMarker(object.key, object.size)) continue;
        hits.scanned += 1;
        const file = fileEntry(object);
        if (isMatch(file.name, foldersAbove(object.key))) hits.files.push(file);
      }
    },

    /** @param prefix the keys in the folder start with it */
    lookAtFolder(prefix: string): void {
      const folder = folderEntry(prefix);
      if (isMatch(folder.name, foldersAbove(prefix.slice(0, -1)))) hits.folders.push(folder);
    },
  };
}

/** The names of the folders between `prefix` and the object. */
const foldersOf = (key: string, prefix: string) => key.slice(prefix.length).split("/").slice(0, -1);
