import type { ZipEntry } from "./zip-format";

/** A file or folder of an archive. Plain data: it can be sent to a worker. */
export interface ArchiveEntry extends ZipEntry {
  /** in the store; empty for a folder */
  key: string;
  /** as it was listed; empty where that is not known */
  etag: string;
}
