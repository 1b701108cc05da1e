import type { StorageProblem } from "../../storage-problem";
import type { ArchiveProgress } from "./archive-bytes";
import type { ArchiveEntry } from "./archive-entry";
import type { SignedBatch } from "./signed-urls";

/** Where the service worker is, and all that it answers: a path with nothing else below it. */
export const WORKER_ADDRESS = "/embed-downloads/worker.js";
export const WORKER_SCOPE = "/embed-downloads/";

/** How often the worker says how far it has come, milliseconds. The page's reply keeps it from being ended. */
export const REPORT_INTERVAL = 250;

/** Page to worker. */
export type WorkerMessage =
  /** make this archive when its address is asked for; a MessagePort comes along */
  | { type: "archive"; id: string; fileName: string; entries: ArchiveEntry[] }
  /** the page is there; being sent is what counts: browsers end a worker that gets no events */
  | { type: "alive"; id: string };

/** A StorageProblem as a message can hold it. */
export type PlainProblem = Pick<StorageProblem, "code" | "details">;

/** Page to worker, by the archive's port. */
export type PageReply =
  | ({ type: "signed"; request?: number | undefined } & SignedBatch)
  | { type: "not-signed"; request?: number | undefined; problem: PlainProblem }
  | { type: "cancel" };

/** Worker to page, by the archive's port. */
export type WorkerReport =
  /** its address may be asked for */
  | { type: "ready" }
  /** its address has been asked for */
  | { type: "started" }
  /**
   * one at a time. `request` comes from a worker of before December 2026, which a browser may still have, and goes back as it came
   */
  | { type: "sign"; request?: number; keys: string[] }
  | ({ type: "progress" } & ArchiveProgress)
  /** the last byte has been handed to the browser */
  | { type: "done" }
  | { type: "failed"; problem: PlainProblem }
  /** the browser wants no more: whoever uses it has stopped the download */
  | { type: "stopped" };
