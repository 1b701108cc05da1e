import { cannotBeRetried, phaseOf, type Upload, type UploadPhase } from "platform-embed-element/client";

export type UploadSummary = ReturnType<typeof summarize>;

/** Totals over all uploads. Cancelled ones count only in `cancelled`. */
export function summarize(uploads: readonly Upload[]) {
  const inPhase = (...phases: readonly UploadPhase[]) =>
    uploads.filter((upload) => phases.includes(phaseOf(upload)));
  const started = inPhase("checking", "sending", "retrying", "paused");
  const waiting = inPhase("queued", "approval");
  const done = inPhase("done");
  const failed = inPhase("failed");
  const pausedCount = inPhase("paused").length;
  const pendingCount = started.length + waiting.length;
  const counted = [...started, ...waiting, ...done, ...inPhase("conflict", "found")];
  return {
    /** waiting for a decision of the person */
    stuck: inPhase("conflict", "failed", "file", "found"),
    /** in progress or paused */
    started,
    waiting,
    /** started or waiting */
    pendingCount,
    /** unfinished and not paused */
    activeCount: pendingCount - pausedCount,
    done,
    cancelled: inPhase("cancelled"),
    pausedCount,
    failedCount: failed.length,
    /** failed, but a retry may succeed */
    retriableCount: failed.filter((upload) => !cannotBeRetried(upload)).length,
    conflictCount: inPhase("conflict").length,
    /** number of files and empty folders, except those that have failed, were cancelled or need their file */
    fileCount: counted.length,
    /** bytes of these files, and how many of them have been sent */
    size: counted.reduce((sum, { size }) => sum + size, 0),
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
  };
}
