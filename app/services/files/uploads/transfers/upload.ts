import type { ProblemCode, StorageProblem } from "../../place/contract/storage-problem";
import type { MultipartUpload } from "./multipart-upload";
import type { UploadRecord } from "./upload-records";

/**
 * - `checking`: comparing the parts that are stored with the file.
 * - `retrying`: waiting for the next attempt after a failure.
 * - `found`: an unfinished upload was found that may be somebody else's. The person decides whether to continue it.
 * - `needs-file`: begun in an earlier visit; continues when its file is chosen again.
 */
export type UploadStatus =
  | "waiting"
  | "checking"
  | "sending"
  | "retrying"
  | "paused"
  | "needs-file"
  | "found"
  | "conflict"
  | "failed"
  | "done"
  | "cancelled";

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
  /** why it failed, is retried, or cannot continue with the chosen file */
  problem: StorageProblem | null;
}

/** Running, or going to run without help. */
export const activeStatuses: readonly UploadStatus[] = ["waiting", "checking", "sending", "retrying"];

/**
 * For each status, the statuses that can follow. `failed` after `waiting` and `paused`: the embedding page may refuse a file late. `done`
 * after `cancelled`, `paused` and `waiting` (after a pause): the store may have received the last byte already.
 */
const nextStatuses: Record<UploadStatus, readonly UploadStatus[]> = {
  waiting: ["sending", "paused", "conflict", "failed", "done", "cancelled"],
  checking: ["sending", "retrying", "paused", "needs-file", "conflict", "failed", "done", "cancelled"],
  sending: ["checking", "retrying", "paused", "found", "conflict", "failed", "done", "cancelled"],
  retrying: ["checking", "sending", "paused", "needs-file", "conflict", "failed", "done", "cancelled"],
  paused: ["waiting", "failed", "done", "cancelled"],
  "needs-file": ["waiting"],
  found: ["waiting", "cancelled"],
  conflict: ["waiting", "cancelled"],
  failed: ["waiting"],
  done: [],
  cancelled: ["waiting", "done"],
};

/** `upload` with the new status; null when that cannot follow the current one. */
export function withStatus(
  upload: Upload,
  status: UploadStatus,
  problem: StorageProblem | null,
): Upload | null {
  if (!nextStatuses[upload.status].includes(status)) return null;
  return { ...upload, status, sent: status === "done" ? upload.size : upload.sent, problem };
}

const problemsThatStay: readonly (ProblemCode | undefined)[] = [
  "too_large",
  "type_not_allowed",
  "bad_name",
  "denied",
  "refused",
];

/** Whether a retry of the same file cannot succeed. */
export function cannotBeRetried({ problem }: Upload): boolean {
  return problemsThatStay.includes(problem?.code);
}

/** An upload with everything needed to send it. */
export interface UploadEntry {
  upload: Upload;
  /** null for an empty folder, and until a person has chosen the file of an upload that needs it */
  file: File | null;
  overwrite: boolean;
  /** on a conflict, take the next free name instead of asking */
  keepBoth: boolean;
  /** waiting for the decision of the embedding page */
  isHeld: boolean;
  /** an attempt was made before: the file may be in the store already */
  mayBeStored: boolean;
  /** look at the server for an unfinished upload of the file */
  mayFind: boolean;
  /** the unfinished upload that was found, until the person has decided */
  found: MultipartUpload | null;
  /** stops the running attempt; null while there is none */
  abort: AbortController | null;
  /** of a large file, once it is created */
  multipart: MultipartUpload | null;
  /** the browser's record of it */
  record: UploadRecord | null;
  /** gives up the claim on `record` */
  release: (() => void) | null;
}

export function entryOf(upload: Upload, file: File | null): UploadEntry {
  return {
    upload,
    file,
    overwrite: false,
    keepBoth: false,
    isHeld: false,
    mayBeStored: false,
    mayFind: true,
    found: null,
    abort: null,
    multipart: null,
    record: null,
    release: null,
  };
}

/** What a later visit needs to continue an upload. */
export function newRecord(
  { upload: { name, folderPath }, overwrite }: UploadEntry,
  { handle, key, size, partSize, partCount, algorithm }: MultipartUpload,
  { bucket, file, contentType }: { bucket: string; file: File; contentType: string },
): UploadRecord {
  const { lastModified } = file;
  const created = { handle, key, size, partSize, partCount, algorithm, arrived: 0, begunAt: Date.now() };
  return {
    ...created,
    id: crypto.randomUUID(),
    bucket,
    folderPath,
    name,
    lastModified,
    contentType,
    overwrite,
  };
}

/** An upload of an earlier visit. */
export function entryOfRecord(id: number, record: UploadRecord): UploadEntry {
  const { name, folderPath, size, overwrite, arrived: sent } = record;
  const status = "needs-file";
  const upload: Upload = { id, isFolder: false, name, folderPath, size, sent, status, problem: null };
  const multipart = { ...record, storedParts: new Map(), needsCheck: true };
  return { ...entryOf(upload, null), overwrite, multipart, record };
}

/** Whether `file` seems to be the one that an upload needs, judged without reading it. */
export function isFileOf(
  { record, upload }: UploadEntry,
  file: File,
  folderPath: string,
  name: string,
): boolean {
  return (
    upload.status === "needs-file" &&
    record?.folderPath === folderPath &&
    record.name === name &&
    record.size === file.size &&
    record.lastModified === file.lastModified
  );
}

export type UploadSummary = ReturnType<typeof summarize>;

/** Totals over all uploads. Cancelled ones count only in `cancelled`. */
export function summarize(uploads: readonly Upload[]) {
  const inStatus = (...statuses: readonly UploadStatus[]) =>
    uploads.filter(({ status }) => statuses.includes(status));
  const started = inStatus("checking", "sending", "retrying", "paused");
  const waiting = inStatus("waiting");
  const done = inStatus("done");
  const failed = inStatus("failed");
  const pausedCount = inStatus("paused").length;
  const pendingCount = started.length + waiting.length;
  const counted = [...started, ...waiting, ...done, ...inStatus("conflict", "found")];
  return {
    /** waiting for a decision of the person */
    stuck: inStatus("conflict", "failed", "needs-file", "found"),
    /** in progress or paused */
    started,
    waiting,
    /** started or waiting */
    pendingCount,
    /** unfinished and not paused */
    activeCount: pendingCount - pausedCount,
    done,
    cancelled: inStatus("cancelled"),
    pausedCount,
    failedCount: failed.length,
    /** failed, but a retry may succeed */
    retriableCount: failed.filter((upload) => !cannotBeRetried(upload)).length,
    conflictCount: inStatus("conflict").length,
    /** number of files and empty folders, except those that have failed, were cancelled or need their file */
    fileCount: counted.length,
    /** bytes of these files, and how many of them have been sent */
    size: counted.reduce((sum, { size }) => sum + size, 0),
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
  };
}
