import type { StorageProblem } from "./storage-client";

export type UploadStatus = "waiting" | "sending" | "conflict" | "failed" | "done" | "cancelled";
export type ConflictAnswer = "replace" | "keep-both" | "skip";

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
