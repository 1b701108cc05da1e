import { cannotBeRetried, stepOf, type Upload, type UploadStep } from "platform-embed-element/client";

export type UploadSummary = ReturnType<typeof summarize>;

/** Totals over all uploads. Cancelled ones count only in `cancelled`. */
export function summarize(uploads: readonly Upload[]) {
  const inStep = (...steps: readonly UploadStep[]) =>
    uploads.filter((upload) => steps.includes(stepOf(upload)));
  const started = inStep("checking", "sending", "retrying", "paused");
  const waiting = inStep("queued", "approval");
  const done = inStep("done");
  const failed = inStep("failed");
  const pausedCount = inStep("paused").length;
  const pendingCount = started.length + waiting.length;
  const counted = [...started, ...waiting, ...done, ...inStep("conflict", "found")];
  return {
    /** waiting for a decision of the person */
    stuck: inStep("conflict", "failed", "file", "found"),
    /** in progress or paused */
    started,
    waiting,
    /** started or waiting */
    pendingCount,
    /** unfinished and not paused */
    activeCount: pendingCount - pausedCount,
    done,
    cancelled: inStep("cancelled"),
    pausedCount,
    failedCount: failed.length,
    /** failed, but a retry may succeed */
    retriableCount: failed.filter((upload) => !cannotBeRetried(upload)).length,
    conflictCount: inStep("conflict").length,
    /** number of files and empty folders, except those that have failed, were cancelled or need their file */
    fileCount: counted.length,
    /** bytes of these files, and how many of them have been sent */
    size: counted.reduce((sum, { size }) => sum + size, 0),
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
  };
}
