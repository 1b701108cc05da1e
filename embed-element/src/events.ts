import type { EmbedErrorCode } from "./embed-error";

export interface ReadyDetail {
  service: string;
  /** when the token in use ends: unix seconds, by the platform's clock */
  expiresAt: number;
}

export interface ErrorDetail {
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

export interface UploadCompleteDetail {
  service: string;
  bucket: string;
  key: string;
  /** bytes */
  size: number;
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

/** The events of `<platform-embed>`; they bubble and cross shadow roots. */
export interface PlatformEmbedEventMap {
  "platform-embed-loading": CustomEvent<{ service: string }>;
  "platform-embed-ready": CustomEvent<ReadyDetail>;
  "platform-embed-error": CustomEvent<ErrorDetail>;
  "platform-embed-token-refreshed": CustomEvent<TokenRefreshedDetail>;
  "platform-embed-session-expired": CustomEvent<{ service: string }>;
  "platform-embed-navigate": CustomEvent<NavigateDetail>;
  "platform-embed-upload-complete": CustomEvent<UploadCompleteDetail>;
  "platform-embed-upload-failed": CustomEvent<UploadFailedDetail>;
  "platform-embed-download-complete": CustomEvent<DownloadCompleteDetail>;
}

declare global {
  interface HTMLElementEventMap extends PlatformEmbedEventMap {}
}
