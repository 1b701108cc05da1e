import type { StorageProblem } from "../storage-client";

/** `retrying`: it was interrupted, and waits for its next attempt. */
export type UploadStatus = "waiting" | "sending" | "retrying" | "conflict" | "failed" | "done" | "cancelled";
export type ConflictChoice = "replace" | "keepBoth" | "skip";

export interface Upload {
  id: number;
  name: string;
  folderPath: string;
  /** bytes */
  size: number;
  /** bytes */
  sent: number;
  status: UploadStatus;
  problem: StorageProblem | null;
}

/** From which statuses an upload can get to each. */
const comesFrom: Record<UploadStatus, UploadStatus[]> = {
  waiting: ["conflict", "failed", "cancelled"],
  sending: ["waiting", "retrying"],
  retrying: ["sending"],
  conflict: ["sending"],
  failed: ["sending"],
  // The store may have had the last byte when it was cancelled.
  done: ["sending", "cancelled"],
  cancelled: ["waiting", "sending", "retrying", "conflict"],
};

/** `upload` once it is `status`, or null when it cannot get there from where it is. */
export function advanced(
  upload: Upload,
  status: UploadStatus,
  problem: StorageProblem | null,
): Upload | null {
  if (!comesFrom[status].includes(upload.status)) return null;
  return { ...upload, status, sent: status === "done" ? upload.size : 0, problem };
}
