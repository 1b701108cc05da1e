import type { ArchiveEntry, ArchiveProgress, FilesError, SignedBatch } from "platform-embed-element/client";

/** Address of the service worker, and the paths that it answers. */
export const WORKER_ADDRESS = "/embed-downloads/worker.js";
export const WORKER_SCOPE = "/embed-downloads/";

/** How often the worker reports progress. The page's replies keep the browser from ending the worker. */
export const REPORT_INTERVAL_MS = 250;

/** Page to worker. */
export type WorkerMessage =
  /** make this archive when its address is requested; transfers a MessagePort */
  | { type: "archive"; id: string; fileName: string; entries: readonly ArchiveEntry[] }
  /** keeps the worker alive: browsers end a worker that receives no events */
  | { type: "alive"; id: string };

type PlainProblem = ReturnType<FilesError["toPlain"]>;

/** Page to worker, on the archive's port. */
export type PageReply =
  | ({ type: "signed"; request?: number | undefined } & SignedBatch)
  | { type: "not-signed"; request?: number | undefined; problem: PlainProblem }
  | { type: "cancel" };

/** Worker to page, on the archive's port. */
export type WorkerReport =
  /** its address may be requested */
  | { type: "ready" }
  /** its address has been requested */
  | { type: "started" }
  /**
   * one at a time. `request` comes from a worker of before December 2026, which a browser may still have, and goes back as it came
   */
  | { type: "sign"; request?: number; keys: string[] }
  | ({ type: "progress" } & ArchiveProgress)
  /** the browser has received the last byte */
  | { type: "done" }
  | { type: "failed"; problem: PlainProblem }
  /** the person stopped the download in the browser */
  | { type: "stopped" };
