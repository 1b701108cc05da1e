import type { Listing } from "./storage-contract.server";

/** The responses of the storage endpoints, for the explorer: types only, so that no schema reaches the browser. */
export type {
  Listing,
  PresignedDownload,
  PresignedUpload,
  StorageDiagnosis,
} from "./storage-contract.server";

export type FolderEntry = Listing["folders"][number];
export type FileEntry = Listing["files"][number];
