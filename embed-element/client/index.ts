/** The engine: what the explorer does, without its screen. docs/decisions/0166 */
export {
  type Answer,
  type Change,
  type ChangeStatus,
  type ConflictChoice,
  type ConflictChoices,
  effectOf,
  type Failure,
  type FileItem,
  hasChosen,
  hasExpectedNames,
  type Item,
  isShownAt,
  itemId,
  itemOf,
  leavingRows,
  movesOf,
  type NamedItem,
  placed,
  type Question,
  rowIn,
} from "./changes/change.js";
export type { ChangeEvents, Changes, UndoOutcome } from "./changes/changes.js";
export type { Way } from "./changes/undo.js";
export type { components, paths } from "./contract.js";
export type { Downloads } from "./downloads/downloads.js";
export type { ArchiveProgress } from "./downloads/zip/archive-bytes.js";
export type { ArchiveEntry, ArchiveWords } from "./downloads/zip/list-tree.js";
export type { SignedBatch, SignedDownload, SignKeys, StoredFile } from "./downloads/zip/signed-urls.js";
export type { LeftOut, Zip, ZipOptions } from "./downloads/zip/zip.js";
export {
  asFilesError,
  type EngineErrorCode,
  FilesError,
  isAbort,
} from "./errors.js";
export { issueOfFileName } from "./file-name.js";
export {
  createFilesClient,
  type FilesClient,
  type FilesClientOptions,
  type FilesEvents,
} from "./files-client.js";
export { Folder, type FolderState, type FolderStatus, type KnownFolder } from "./folder/folder.js";
export { type FileOrder, withRows } from "./folder/folder-rows.js";
export * from "./folder-path.js";
export { type FolderTime, isSameTime, now } from "./folder-time.js";
export type { FileVersion, History } from "./history/history.js";
export * from "./limits.js";
export type { FolderNews, FollowedSearch } from "./live/follow-context.js";
export { moduleLoader } from "./load-module.js";
export type { OperationName, RequestOf, ResultOf } from "./operations.js";
export type { PagesOptions } from "./pages.js";
export {
  type Call,
  type Platform,
  postWithToken,
  type RequestOptions,
} from "./request.js";
export {
  type RetryTiming,
  retryTimingOf,
  whileBusy,
} from "./retry.js";
export {
  type AddedRow,
  type Deletion,
  type FileEntry,
  type FolderDeletion,
  type FolderEntry,
  type FolderSizes,
  folderOf,
  isAmong,
  isFolderContent,
  type Moved,
  pathOf,
  type QuotaUse,
  type RecentFile,
  type RecentFiles,
  type Row,
  relativePath,
  rowId,
} from "./rows.js";
export type { FoundRows, SearchFilter, SearchOptions } from "./search/search.js";
export { Store } from "./store.js";
export type { TokenSource } from "./tokens.js";
export {
  cannotBeRetried,
  isActive,
  phaseOf,
  type Upload,
  type UploadAnswer,
  type UploadApproval,
  type UploadConflictChoice,
  type UploadEvents,
  type UploadedFile,
  type UploadOptions,
  type UploadPhase,
  type UploadQuestion,
  type UploadStatus,
  type UploadsState,
} from "./uploads/upload.js";
export type { UploadTarget } from "./uploads/upload-target.js";
export type { UploadItem, Uploads } from "./uploads/uploads.js";
export { type LocalFile, realWorld, type World } from "./world.js";
export type { SendRequest, SendResponse } from "./world-send.js";
export type { RecordStorage, StoredRecord } from "./world-storage.js";
