import type { StorageClient } from "../storage-client";
import { StorageProblem } from "../storage-problem";
import type { Lanes } from "./lanes";
import type { ReadSlice } from "./part-reader";
import type { PutFile, PutOutcome } from "./put-file";
import type { ReadPart } from "./read-part";
import { persist, type RetryTiming } from "./retry";
import type { Semaphore } from "./semaphore";

/** A presigned URL that is refused is replaced so often before we believe the refusal. */
const MOST_RENEWALS = 2;

/** What all uploads of a page share. */
export interface SendTools {
  client: UploadClient;
  put: PutFile;
  timing: RetryTiming;
  read: ReadSlice;
  /** for what is being sent */
  lanes: Lanes;
  /** for what is in memory: read, and not stored yet */
  memory: Semaphore;
}

export type UploadClient = Pick<
  StorageClient,
  | "presignUpload"
  | "list"
  | "diagnose"
  | "createUpload"
  | "signParts"
  | "listParts"
  | "completeUpload"
  | "abortUpload"
  | "createFolder"
  | "presignDownload"
  | "secondsUntil"
>;

export interface SendEvents {
  /** bytes so far */
  onProgress(sent: number): void;
  /** it was interrupted, and is tried again after a pause */
  onRetry(problem: StorageProblem): void;
  /** it is being sent, again or for the first time */
  onSending(): void;
}

export interface SliceTarget {
  url: string;
  headers: Record<string, string>;
  /** by `RetryTiming.now`; later it would be refused */
  usableUntil: number;
}

/**
 * Sends what was read to wherever `sign` says, again and again where the failure is one that passes, each time with a presigned URL
 * that still serves. Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export async function sendSlice(
  { body }: ReadPart,
  sign: () => Promise<SliceTarget>,
  tools: SendTools,
  events: SendEvents,
  signal: AbortSignal,
): Promise<Extract<PutOutcome, "done" | "exists" | "unsupported">> {
  const { client, lanes, timing } = tools;

  const attempt = async () => {
    for (let renewals = 0; ; ) {
      const outcome = await sendOnce(body, sign, tools, events, signal);
      if (outcome === "unexplained") throw await client.diagnose("upload", signal);
      if (outcome !== "stale") return outcome;
      // It ran out while the bytes were waiting or being sent. A refusal of fresh ones has another reason.
      if (++renewals > MOST_RENEWALS) throw await whyRefused(client, signal);
    }
  };
  const onRetry = (problem: StorageProblem) => {
    if (problem.code === "unavailable" || problem.details.stalled) lanes.trouble();
    events.onProgress(0);
    events.onRetry(problem);
  };
  const outcome = await persist(attempt, timing, onRetry, signal);
  if (outcome === "done") lanes.arrived(body.size);
  return outcome;
}

async function sendOnce(
  body: ReadPart["body"],
  sign: () => Promise<SliceTarget>,
  { put, timing, lanes }: SendTools,
  { onProgress, onSending }: SendEvents,
  signal: AbortSignal,
): Promise<PutOutcome> {
  // Signed before it is its turn, so that no lane waits for a signature.
  let target = await sign();
  const leave = await lanes.enter(signal);
  try {
    if (timing.now() >= target.usableUntil) target = await sign();
    onSending();
    return await put(target, body, onProgress, signal);
  } finally {
    leave();
  }
}

async function whyRefused(client: UploadClient, signal: AbortSignal): Promise<StorageProblem> {
  const problem = await client.diagnose("upload", signal);
  return problem.code === "unreachable" ? new StorageProblem("denied", problem.details) : problem;
}
