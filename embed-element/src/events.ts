import type {
  ChangeMessage,
  ChooseMessage,
  DoneMessage,
  DownloadCompleteMessage,
  FileActionMessage,
  FileToUpload,
  NavigateMessage,
  SelectionMessage,
  UploadCompleteMessage,
  UploadFailedMessage,
  UploadProgressMessage,
} from "../protocol.js";
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

export interface NavigateDetail extends Omit<NavigateMessage, "type"> {}

/** A file that is about to be uploaded. Unless a listener decides otherwise, it is uploaded unchanged. */
export interface BeforeUploadDetail extends FileToUpload {
  service: string;
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
export interface UploadProgressDetail extends Omit<UploadProgressMessage, "type"> {}

export interface UploadCompleteDetail extends Omit<UploadCompleteMessage, "type"> {}

export interface UploadFailedDetail extends Omit<UploadFailedMessage, "type"> {}

/**
 * Files have been handed to the browser: the last byte of an archive, or the URL of a single file. Browsers do not tell
 * a page whether the visitor keeps them.
 */
export interface DownloadCompleteDetail extends Omit<DownloadCompleteMessage, "type"> {}

/** A change by the visitor has finished, perhaps only for some of the items. */
export interface ChangeDetail extends Omit<ChangeMessage, "type"> {}

/** The visitor has finished handing files in. They may send more, and finish again. */
export interface DoneDetail extends Omit<DoneMessage, "type"> {}

/** The visitor has selected other files and folders. */
export interface SelectionDetail extends Omit<SelectionMessage, "type"> {}

/** The visitor has chosen files or a folder for your page. */
export interface ChooseDetail extends Omit<ChooseMessage, "type"> {}

/** The visitor has chosen one of your `fileActions`. */
export interface FileActionDetail extends Omit<FileActionMessage, "type" | "id"> {
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
