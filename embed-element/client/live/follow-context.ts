import type { Change } from "../changes/change.js";
import type { FolderTime } from "../folder-time.js";
import type { Platform } from "../request.js";
import type { AddedRow, Row } from "../rows.js";
import type { UploadEvents, UploadsState } from "../uploads/upload.js";

/** What others have done in the open folder. */
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
  applyChanges(added: readonly AddedRow[], gone: ReadonlySet<string>): void;
}

export interface FollowContext {
  platform: Platform;
  bucket: string;
  folder: FollowedFolder;
  events: {
    on(type: "changing" | "changed", listener: (data: { change: Change }) => void): () => void;
    on(type: "uploaded", listener: (data: UploadEvents["uploaded"]) => void): () => void;
  };
  changes: { getState(): readonly Change[] };
  uploads: { getState(): UploadsState };
  onNews: ((news: FolderNews) => void) | undefined;
}
