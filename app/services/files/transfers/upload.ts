import type { ProblemCode, StorageProblem } from "../storage-problem";

/**
 * - `checking`: what an earlier visit sent of it is compared with the file.
 * - `retrying`: it was interrupted, and waits for its next attempt.
 * - `interrupted`: it was begun in an earlier visit, and goes on once its file is chosen again.
 */
export type UploadStatus =
  | "waiting"
  | "checking"
  | "sending"
  | "retrying"
  | "paused"
  | "interrupted"
  | "conflict"
  | "failed"
  | "done"
  | "cancelled";
export type ConflictChoice = "replace" | "keepBoth" | "skip";

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
  /** why it failed, is tried again, or could not go on with the file that was chosen */
  problem: StorageProblem | null;
}

/** What works or will by itself. */
export const activeStatuses: readonly UploadStatus[] = ["waiting", "checking", "sending", "retrying"];
/** What goes on only when a person says how. */
export const stuckStatuses: readonly UploadStatus[] = ["conflict", "failed", "interrupted"];

/** From which statuses an upload can get to each. */
const comesFrom: Record<UploadStatus, readonly UploadStatus[]> = {
  waiting: ["conflict", "failed", "cancelled", "paused", "interrupted"],
  checking: ["sending", "retrying"],
  sending: ["waiting", "checking", "retrying"],
  retrying: ["checking", "sending"],
  paused: activeStatuses,
  interrupted: ["checking", "retrying"],
  conflict: ["waiting", "checking", "sending", "retrying"],
  // The page around may refuse what waits, or was paused meanwhile.
  failed: ["waiting", "paused", "checking", "sending", "retrying"],
  // The store may have had the last byte when it was cancelled or paused.
  done: ["sending", "retrying", "cancelled", "paused", "waiting"],
  cancelled: [...activeStatuses, "paused", "conflict"],
};

/** `upload` once it is `status`, or null when it cannot get there from where it is. */
export function advanced(
  upload: Upload,
  status: UploadStatus,
  problem: StorageProblem | null,
): Upload | null {
  if (!comesFrom[status].includes(upload.status)) return null;
  return { ...upload, status, sent: status === "done" ? upload.size : upload.sent, problem };
}

const finalProblems: readonly (ProblemCode | undefined)[] = [
  "too_large",
  "type_not_allowed",
  "bad_name",
  "refused",
];

/** It fails as long as the file is what it is. */
export function isFinal({ problem }: Upload): boolean {
  return finalProblems.includes(problem?.code);
}
