import { folderPathOf, nameOf, nameOfKey } from "platform-embed-element/client";
import type { FileEntry, FolderEntry } from "../place/contract/storage-contract.server";

/** An object, as any listing of the store returns it. */
interface StoredObject {
  key: string;
  /** bytes */
  size: number;
  etag: string;
  lastModified: Date;
}

/** The row of a folder in a list. @param prefix what its keys start with */
export function folderEntry(prefix: string): FolderEntry {
  const path = folderPathOf(prefix);
  return { name: nameOf(path), path };
}

/** The row of a file in a list. */
export function fileEntry({ key, size, etag, lastModified }: StoredObject): FileEntry {
  return { name: nameOfKey(key), key, size, lastModified: lastModified.toISOString(), etag };
}
