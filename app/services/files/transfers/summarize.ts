import { isFinal, stuckStatuses, type Upload } from "./upload";

/** All uploads at a glance. Cancelled ones count nowhere. */
export interface UploadSummary {
  /** what needs a person */
  stuck: Upload[];
  /** what is worked on, or paused */
  running: Upload[];
  waiting: Upload[];
  done: Upload[];
  cancelled: Upload[];
  paused: number;
  failed: number;
  /** failed, and worth another try */
  retriable: number;
  conflicts: number;
  /** of all files that are or were to be sent */
  files: number;
  /** bytes of them, and how many have arrived or are on their way */
  size: number;
  sent: number;
}

export function summarize(uploads: readonly Upload[]): UploadSummary {
  const summary: UploadSummary = {
    ...{ stuck: [], running: [], waiting: [], done: [], cancelled: [] },
    ...{ paused: 0, failed: 0, retriable: 0, conflicts: 0, files: 0, size: 0, sent: 0 },
  };
  for (const upload of uploads) {
    const { status, size, sent } = upload;
    if (status === "cancelled") {
      summary.cancelled.push(upload);
      continue;
    }
    if (stuckStatuses.includes(status)) summary.stuck.push(upload);
    else if (status === "waiting" || status === "done") summary[status].push(upload);
    else summary.running.push(upload);
    if (status === "paused") summary.paused++;
    if (status === "failed") summary.failed++;
    if (status === "failed" && !isFinal(upload)) summary.retriable++;
    if (status === "conflict") summary.conflicts++;
    // What was begun in another visit, or cannot be sent, is not on its way.
    if (status === "interrupted" || status === "failed") continue;
    summary.files++;
    summary.size += size;
    summary.sent += sent;
  }
  return summary;
}
