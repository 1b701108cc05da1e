import type { Checksum } from "../../shared/checksums.js";
import type { UploadLimits } from "../../shared/upload-limits.js";
import type { FilesError } from "../errors.js";

/**
 * - `queued`: behind others.
 * - `checking`: comparing the parts that are stored with the file.
 * - `retrying`: waiting for the next attempt after a failure.
 * - `waiting`: for the answer to its question.
 */
export type UploadStatus =
  | "queued"
  | "checking"
  | "sending"
  | "retrying"
  | "paused"
  | "waiting"
  | "failed"
  | "done"
  | "cancelled";

/**
 * What an upload waits for:
 *
 * - `approval`: somebody wants to decide on files before they are sent (`UploadOptions.needsApproval`).
 * - `conflict`: what to do, as the name is taken.
 * - `found`: whether to continue an unfinished upload that was found. It may be somebody else's.
 * - `file`: begun in an earlier visit, it continues when its file is chosen again.
 */
export type UploadQuestion =
  | { about: "approval" /** the media type to be stored with the file */; contentType: string }
  | { about: "conflict" }
  | { about: "found" }
  | { about: "file" };

/** What to do with a file whose name is taken. */
export type UploadConflictChoice = "replace" | "keep-both" | "skip";

/** Whether the file is sent, perhaps under another name. `reason` is for the person, in words. */
export type UploadApproval =
  | { approved: true; name?: string | undefined }
  | { approved: false; code: "refused" | "unanswered"; reason?: string | undefined };

/** In the order of the questions above; to `file`, the file. */
export type UploadAnswer = UploadApproval | UploadConflictChoice | "continue" | "start-over" | Blob;

export interface Upload {
  id: number;
  /** an empty folder */
  isFolder: boolean;
  name: string;
  folderPath: string;
  /** bytes */
  size: number;
  /** bytes */
  sent: number;
  status: UploadStatus;
  /** while it waits; otherwise null */
  question: UploadQuestion | null;
  /** why it failed, is retried, or cannot continue with the chosen file */
  error: FilesError | null;
}

/** A file that the store has. */
export interface UploadedFile {
  upload: Upload;
  key: string;
  /** of the whole file, as the store has verified it; null if it keeps no checksums */
  checksum: Checksum | null;
}

/** What the engine tells of uploads. */
export interface UploadEvents {
  /** files are stored; those that have arrived within a moment are told together */
  uploaded: { files: readonly UploadedFile[] };
  uploadFailed: { upload: Upload };
}

export interface UploadsState {
  /** in the order in which they were added; those that have ended stay until `clearEnded` */
  uploads: readonly Upload[];
  /** null while too little is known */
  bytesPerSecond: number | null;
  /** a later visit can continue what is unfinished, as far as is known */
  isRemembering: boolean;
  /** the store notices bytes that changed on the way to it, as far as is known */
  isVerified: boolean;
  /** files were added, and the code that uploads is being loaded */
  isLoading: boolean;
}

export interface UploadOptions {
  /** the limits of the token: other files are not sent */
  limits?: UploadLimits | undefined;
  /** The media type that a file is stored with. By default its own, or `application/octet-stream`. */
  contentTypeOf?(file: { name: string; type: string }): string;
  /** whose unfinished uploads are continued: several people may use one browser */
  visitorKey?: string | undefined;
  /** Whether unfinished uploads to this folder are continued. By default, all of them are. */
  mayUploadTo?(folderPath: string): boolean;
  /** Whether files that are added now wait for an answer before they are sent. By default, they do not. */
  needsApproval?(): boolean;
}

/** A status, or what a waiting upload is asked about. */
export type UploadPhase = Exclude<UploadStatus, "waiting"> | UploadQuestion["about"];

export const phaseOf = ({ status, question }: Upload): UploadPhase =>
  status === "waiting" ? (question?.about ?? "file") : status;

/** Running, or going to run without the person. */
export const isActive = (upload: Upload): boolean => activePhases.includes(phaseOf(upload));

const activePhases: readonly UploadPhase[] = ["queued", "approval", "checking", "sending", "retrying"];

const permanentCodes = ["too_large", "type_not_allowed", "bad_name", "denied", "refused"];

/** Whether a retry of the same file cannot succeed. */
export function cannotBeRetried({ error }: Upload): boolean {
  if (error === null) return false;
  const { code, status } = error;
  // There is room again when something was deleted.
  if (code === "quota_exceeded") return false;
  return permanentCodes.includes(code) || status === 400 || status === 403;
}
