import type { ChangeEvents, Changes } from "../changes/changes.js";
import type { Events } from "../events.js";
import type { Folder } from "../folder/folder.js";
import { loadOnDemand } from "../load-on-demand.js";
import type { Platform } from "../request.js";
import type { UploadEvents } from "../uploads/upload.js";
import type { Uploads } from "../uploads/uploads.js";

/** What others have done in the open folder. */
export interface FolderNews {
  /** ids of rows that are new or have another content */
  added: readonly string[];
  /** ids of rows that are gone */
  gone: readonly string[];
}

export interface FollowContext {
  platform: Platform;
  bucket: string;
  folder: Folder;
  events: Pick<Events<ChangeEvents & UploadEvents>, "on">;
  changes: Pick<Changes, "getState">;
  uploads: Pick<Uploads, "getState">;
  onNews: ((news: FolderNews) => void) | undefined;
}

/** Follows a folder once the code for it has loaded. Without that, the folder is as it was listed. @returns a function that stops it */
export function follow(context: FollowContext): () => void {
  const abort = new AbortController();
  loadOnDemand()
    .then(({ followFolder }) => followFolder(context, abort.signal))
    .catch(() => {});
  return () => abort.abort();
}
