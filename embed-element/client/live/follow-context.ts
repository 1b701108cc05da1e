import type { Change } from "../changes/change.js";
import type { FolderTime } from "../folder-time.js";
import type { Platform } from "../request.js";
import type { Row } from "../rows.js";
import type { UploadEvents, UploadsState } from "../uploads/upload.js";

/** What others have done in the open folder, or to what a search has found below it. */
export interface FolderNews {
  /** ids of rows that are new or have another content */
  added: readonly string[];
  /** ids of rows that are gone */
  gone: readonly string[];
}

/** The open folder, as far as it is followed. */
export interface FollowedFolder {
  getState(): { path: string; time: FolderTime; status: string; rows: readonly Row[] };
  subscribe(listener: () => void): () => void;
  refresh(): Promise<void>;
  applyChanges(added: readonly Row[], gone: ReadonlySet<string>): void;
}

/** What a search has found below the open folder, for whoever shows it. */
export interface FollowedSearch {
  getRows(): readonly Row[];
  /** whether the search finds such a row; of the open folder, whether it is shown */
  finds(row: Row): boolean;
  /** @param added what it finds @param gone ids of rows that it does not find any more */
  applyChanges(added: readonly Row[], gone: ReadonlySet<string>): void;
}

export interface FollowContext {
  platform: Platform;
  bucket: string;
  folder: FollowedFolder;
  /** undefined: only the folder itself is followed */
  search: FollowedSearch | undefined;
  events: {
    on(type: "changing" | "changed", listener: (data: { change: Change }) => void): () => void;
    on(type: "uploaded", listener: (data: UploadEvents["uploaded"]) => void): () => void;
  };
  changes: { getState(): readonly Change[] };
  uploads: { getState(): UploadsState };
  onNews: ((news: FolderNews) => void) | undefined;
}
