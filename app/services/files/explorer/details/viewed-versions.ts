import type { VersionList } from "../../history/history-contract.server";
import type { FileEntry } from "../../storage-contract.server";

export type Version = VersionList["versions"][number];

/** What a person looks at of the versions of a file: one of them, or two beside each other. */
export interface ViewedVersions {
  file: FileEntry;
  /** newest first, as far as they are loaded */
  versions: readonly Version[];
  /** ids */
  shown: { preview: string } | { before: string; after: string };
}
