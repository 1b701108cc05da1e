import type { StorageProblem } from "../storage-client";

/** `retrying`: it failed in passing, and waits to be tried again. */
export type UploadStatus = "waiting" | "sending" | "retrying" | "conflict" | "failed" | "done" | "cancelled";
export type ConflictChoice = "replace" | "keep-both" | "skip";

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
