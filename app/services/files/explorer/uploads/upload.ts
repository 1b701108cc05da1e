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

/** All that can happen to an upload: from which statuses, and to which one it leads. */
const transitions = {
  start: { from: ["waiting"], to: "sending" },
  interrupt: { from: ["sending"], to: "retrying" },
  resume: { from: ["retrying"], to: "sending" },
  meetConflict: { from: ["sending"], to: "conflict" },
  resolveConflict: { from: ["conflict"], to: "waiting" },
  // The store may have had the last byte when it was cancelled.
  finish: { from: ["sending", "cancelled"], to: "done" },
  fail: { from: ["sending"], to: "failed" },
  cancel: { from: ["waiting", "sending", "retrying", "conflict"], to: "cancelled" },
  retry: { from: ["failed", "cancelled"], to: "waiting" },
} satisfies Record<string, { from: UploadStatus[]; to: UploadStatus }>;

export type UploadTransition = keyof typeof transitions;

/** The upload after `transition`, or null when that cannot happen in its status. */
export function afterTransition(
  upload: Upload,
  transition: UploadTransition,
  problem: StorageProblem | null = null,
): Upload | null {
  const { from, to }: { from: UploadStatus[]; to: UploadStatus } = transitions[transition];
  if (!from.includes(upload.status)) return null;
  return { ...upload, status: to, sent: to === "done" ? upload.size : 0, problem };
}
