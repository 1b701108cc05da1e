import type { ChangeAction, ChangedItem } from "../protocol";
import type { EmbedErrorCode, Refusal } from "./embed-error";

export interface ReadyDetail {
  service: string;
  /** when the token in use ends: unix seconds, by the platform's clock */
  expiresAt: number;
}

export interface ErrorDetail extends Refusal {
  /** stable, for programs */
  code: EmbedErrorCode;
  /** whether the same may succeed later although nothing is changed */
  retryable: boolean;
  /** what to fix, for a person */
  message: string;
}

export interface TokenRefreshedDetail {
  /** when the new token ends: unix seconds, by the platform's clock */
  expiresAt: number;
}

export interface NavigateDetail {
  service: string;
  /** the folder that is open now; `/` is the root of the bucket */
  path: string;
}

/** A file that is to be uploaded. Unless a listener says otherwise, it goes up as it is. */
export interface BeforeUploadDetail {
  service: string;
  name: string;
  /** bytes */
  size: number;
  /** the media type that it will be stored with */
  type: string;
  /** the folder that it goes into; `/` is the root of the bucket */
  folderPath: string;
  /** Has the file stored under another name. */
  rename(name: string): void;
  /** Keeps the file from being uploaded, as `preventDefault()` does. @param reason plain text that the person is shown, in their language */
  refuse(reason?: string): void;
  /** Waits with the file, for 30 seconds at most, and so long `rename` and `refuse` may be called. A promise that rejects refuses it. */
  waitUntil(promise: Promise<unknown>): void;
}

/** How far all uploads are together. */
export interface UploadProgressDetail {
  service: string;
  files: number;
  filesDone: number;
  /** bytes of all files */
  size: number;
  /** bytes of them that are sent */
  sent: number;
}

export interface UploadCompleteDetail {
  service: string;
  bucket: string;
  key: string;
  /** bytes */
  size: number;
  /** base64, of the whole file, as the store has checked it; not where the store checks none */
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
 * Files have been handed to the browser: the last byte of an archive, or, for a file by itself, its address. Whether the person keeps
 * them, a browser tells no page.
 */
export interface DownloadCompleteDetail {
  service: string;
  bucket: string;
  /** how many */
  files: number;
  /** of all of them, bytes */
  size: number;
}

/** The person has changed something, and it has ended, perhaps in part. */
export interface ChangeDetail {
  service: string;
  bucket: string;
  /** `restore` undoes `delete` */
  action: ChangeAction;
  /** what was asked for, as it was called before: files by their key, folders by their path */
  items: ChangedItem[];
  /** the folder that they were moved or copied to, or are renamed in */
  to?: string;
  /** what the renamed item is called now */
  name?: string;
  /** how many objects have been changed: of folders, all that are in them */
  done: number;
  /** objects that could not be changed, and why */
  failed: { key: string; code: string }[];
}

/** The events of `<platform-embed>`; they bubble and cross shadow roots. */
export interface PlatformEmbedEventMap {
  "platform-embed-loading": CustomEvent<{ service: string }>;
  "platform-embed-ready": CustomEvent<ReadyDetail>;
  "platform-embed-error": CustomEvent<ErrorDetail>;
  "platform-embed-token-refreshed": CustomEvent<TokenRefreshedDetail>;
  "platform-embed-session-expired": CustomEvent<{ service: string }>;
  "platform-embed-navigate": CustomEvent<NavigateDetail>;
  "platform-embed-before-upload": CustomEvent<BeforeUploadDetail>;
  "platform-embed-upload-progress": CustomEvent<UploadProgressDetail>;
  "platform-embed-upload-complete": CustomEvent<UploadCompleteDetail>;
  "platform-embed-upload-failed": CustomEvent<UploadFailedDetail>;
  "platform-embed-download-complete": CustomEvent<DownloadCompleteDetail>;
  "platform-embed-change": CustomEvent<ChangeDetail>;
}

/** @returns false when a listener has prevented what the event announces */
export type Emit = <Type extends keyof PlatformEmbedEventMap>(
  type: Type,
  detail: PlatformEmbedEventMap[Type]["detail"],
) => boolean;

declare global {
  // They bubble: of a `div` around it, the document and the window, too.
  interface GlobalEventHandlersEventMap extends PlatformEmbedEventMap {}
}
