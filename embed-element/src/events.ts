import type { ChangeAction, ChangedItem, ChosenItem, HandedInFile, SelectedItem } from "../protocol.js";
import type { EmbedErrorCode, Refusal } from "./embed-error.js";

export interface ReadyDetail {
  service: string;
  /** when the current token expires: unix seconds, by the platform's clock */
  expiresAt: number;
}

export interface ErrorDetail extends Refusal {
  /** stable, for programs */
  code: EmbedErrorCode;
  /** whether a retry may succeed although nothing is changed */
  retryable: boolean;
  /** what to fix, for a person */
  message: string;
}

export interface TokenRefreshedDetail {
  /** when the new token expires: unix seconds, by the platform's clock */
  expiresAt: number;
}

export interface NavigateDetail {
  service: string;
  /** the folder that is open now; `/` is the root of the bucket */
  path: string;
}

/** A file that is about to be uploaded. Unless a listener decides otherwise, it is uploaded unchanged. */
export interface BeforeUploadDetail {
  service: string;
  name: string;
  /** bytes */
  size: number;
  /** the media type to be stored with it */
  type: string;
  /** the folder that it is uploaded to; `/` is the root of the bucket */
  folderPath: string;
  /** Stores the file under another name. */
  rename(name: string): void;
  /** Does not upload the file, like `preventDefault()`. @param reason plain text for the visitor, in their language */
  refuse(reason?: string): void;
  /**
   * Delays the upload until the promise settles, at most 30 seconds; `rename` and `refuse` may be called until then. A
   * rejected promise refuses the file.
   */
  waitUntil(promise: Promise<unknown>): void;
}

/** The progress of all uploads together. */
export interface UploadProgressDetail {
  service: string;
  files: number;
  filesDone: number;
  /** bytes of all files */
  size: number;
  /** bytes that have been sent */
  sent: number;
}

export interface UploadCompleteDetail {
  service: string;
  bucket: string;
  key: string;
  /** bytes */
  size: number;
  /** base64, of the whole file, as verified by the store; absent if the store verifies none */
  checksum?: string;
  /** `CRC32`, `CRC64NVME` */
  checksumAlgorithm?: string;
}

export interface UploadFailedDetail {
  service: string;
  /** the file's name */
  name: string;
  code: string;
}

/**
 * Files have been handed to the browser: the last byte of an archive, or the URL of a single file. Browsers do not tell
 * a page whether the visitor keeps them.
 */
export interface DownloadCompleteDetail {
  service: string;
  bucket: string;
  /** number of files */
  files: number;
  /** bytes of all files */
  size: number;
}

/** A change by the visitor has finished, perhaps only for some of the items. */
export interface ChangeDetail {
  service: string;
  bucket: string;
  /** `restore` brings deleted files back, or makes older versions current; `purge` deletes what was deleted permanently */
  action: ChangeAction;
  /** the items that the visitor chose, under their old names: files by key, folders by path */
  items: ChangedItem[];
  /** the folder that they were moved or copied to, or in which they were renamed */
  to?: string;
  /** the new name of a renamed item, or of one that is moved back under its old name */
  name?: string;
  /** number of changed objects; a folder counts as all objects in it */
  done: number;
  /** objects that could not be changed, and why */
  failed: { key: string; code: string }[];
}

/** The visitor has finished handing files in. They may send more, and finish again. */
export interface DoneDetail {
  service: string;
  /** what has been handed in since the page was opened, without what was taken back */
  files: HandedInFile[];
}

/** The visitor has selected other files and folders. */
export interface SelectionDetail {
  service: string;
  /** the first 1,000 */
  items: SelectedItem[];
  /** number of selected files and folders */
  count: number;
}

/** The visitor has chosen files or a folder for your page. */
export interface ChooseDetail {
  service: string;
  /** a file has a `url` for five minutes where the token allows downloads */
  items: ChosenItem[];
}

/** The visitor has chosen one of your `fileActions`. */
export interface FileActionDetail {
  service: string;
  /** the `id` of the action */
  action: string;
  /** at most 1,000 files, or one folder */
  items: SelectedItem[];
  /**
   * Shows the visitor that the action runs, until the promise settles. If the promise is rejected, the visitor reads that the action has
   * failed. Call it in the listener, before anything asynchronous.
   */
  waitUntil(promise: Promise<unknown>): void;
  /** Shows how far the action is. @param fraction 0 to 1 @param text plain text for the visitor, in their language */
  progress(fraction: number, text?: string): void;
  /** Says why the action has failed. @param reason plain text for the visitor, in their language */
  fail(reason: string): void;
}

/** The events of `<platform-embed>`. They bubble and cross shadow roots. */
export interface PlatformEmbedEventMap {
  "platform-embed-loading": CustomEvent<{ service: string }>;
  "platform-embed-ready": CustomEvent<ReadyDetail>;
  "platform-embed-error": CustomEvent<ErrorDetail>;
  "platform-embed-token-refreshed": CustomEvent<TokenRefreshedDetail>;
  "platform-embed-session-expired": CustomEvent<{ service: string }>;
  "platform-embed-ended": CustomEvent<{ service: string }>;
  "platform-embed-navigate": CustomEvent<NavigateDetail>;
  "platform-embed-before-upload": CustomEvent<BeforeUploadDetail>;
  "platform-embed-upload-progress": CustomEvent<UploadProgressDetail>;
  "platform-embed-upload-complete": CustomEvent<UploadCompleteDetail>;
  "platform-embed-upload-failed": CustomEvent<UploadFailedDetail>;
  "platform-embed-download-complete": CustomEvent<DownloadCompleteDetail>;
  "platform-embed-change": CustomEvent<ChangeDetail>;
  "platform-embed-done": CustomEvent<DoneDetail>;
  "platform-embed-selection": CustomEvent<SelectionDetail>;
  "platform-embed-choose": CustomEvent<ChooseDetail>;
  "platform-embed-choose-cancel": CustomEvent<{ service: string }>;
  "platform-embed-file-action": CustomEvent<FileActionDetail>;
}

/** @returns false if a listener has called `preventDefault()` */
export type Emit = <Type extends keyof PlatformEmbedEventMap>(
  type: Type,
  detail: PlatformEmbedEventMap[Type]["detail"],
) => boolean;

declare global {
  // The events bubble, so a surrounding element, the document and the window have them too.
  interface GlobalEventHandlersEventMap extends PlatformEmbedEventMap {}
}
