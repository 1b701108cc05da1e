import type { ListedObject } from "../../../providers/listings.server";
import { nameMatcher } from "../fold-name";
import { issueOfSegment, nameOf } from "../folder-path";
import type { SearchResult } from "./search-contract.server";

type Hits = Omit<SearchResult, "cursor">;
export type KeyMatcher = ReturnType<typeof matchKeys>;

/**
 * Collects the files and folders whose names match `query`, from pages of keys in the store's order. A folder exists
 * because keys lie in it: it is found with the first of them. Names that no path can have (`a//b`, `../x`) are left
 * out, because nobody could open them.
 */
export function matchKeys(query: string) {
  const isMatch = nameMatcher(query);
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
      for (const { key, size, lastModified, etag } of objects) {
        const folders = foldersOf(key, prefix);
        const firstNew = folders.findIndex((name, depth) => name !== foldersBefore[depth]);
        foldersBefore = folders;
        if (!folders.every(isName)) continue;
        if (firstNew !== -1) {
          for (let depth = firstNew; depth < folders.length; depth++) {
            this.lookAtFolder(`${prefix}${folders.slice(0, depth + 1).join("/")}/`);
          }
        }
        const name = nameOf(key);
        // An object whose key ends with a slash only marks a folder.
        if (name === "") continue;
        hits.scanned += 1;
        if (!isMatch(name) || !isName(name)) continue;
        hits.files.push({ name, key, size, lastModified: lastModified.toISOString(), etag });
      }
    },

    /** @param prefix the keys in the folder start with it */
    lookAtFolder(prefix: string): void {
      const path = `/${prefix.slice(0, -1)}`;
      const name = nameOf(path);
      if (isMatch(name) && isName(name)) hits.folders.push({ name, path });
    },
  };
}

/** The names of the folders between `prefix` and the object. */
const foldersOf = (key: string, prefix: string) => key.slice(prefix.length).split("/").slice(0, -1);

const isName = (name: string) => issueOfSegment(name) === null;
