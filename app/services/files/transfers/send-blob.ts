import type { Semaphore } from "../../../shared/semaphore";
import type { StorageClient } from "../storage-client";
import { StorageProblem } from "../storage-problem";
import type { BlobReader } from "./blob-reader";
import type { PutFile, PutOutcome } from "./put-file";
import type { ReadBlob } from "./read-blob";
import { type RetryTiming, withRetries } from "./retry";
import type { UploadConcurrency } from "./upload-concurrency";

/** Maximum number of times to renew a refused presigned URL. Then the refusal is reported. */
const MAX_RENEWALS = 2;

/** Shared by all uploads of a page. */
export interface SendTools {
  client: UploadClient;
  put: PutFile;
  timing: RetryTiming;
  read: BlobReader;
  /** limits requests that are sending */
  concurrency: UploadConcurrency;
  /** limits parts in memory: read but not stored yet */
  partSlots: Semaphore;
}

export type UploadClient = Pick<StorageClient, "call" | "list" | "diagnose" | "secondsUntil">;

export interface SendCallbacks {
  /** bytes so far */
  onProgress(sent: number): void;
  /** it failed, and is retried after a pause */
  onRetry(problem: StorageProblem): void;
  /** an attempt begins to send */
  onSending(): void;
}

export interface PutTarget {
  url: string;
  headers: Record<string, string>;
  /** when the URL expires, by `RetryTiming.now` */
  usableUntil: number;
}

/**
 * Sends a part, or a whole small file, to the URL that `sign` returns. Retries temporary failures, with a new URL if the old one has expired.
 * @throws a StorageProblem, or the signal's reason
 */
export async function sendBlob(
  { body }: ReadBlob,
  sign: () => Promise<PutTarget>,
  tools: SendTools,
  callbacks: SendCallbacks,
  signal: AbortSignal,
): Promise<Extract<PutOutcome, "done" | "exists" | "unsupported">> {
  const { client, concurrency, timing } = tools;

  const attempt = async () => {
    for (let renewals = 0; ; ) {
      const outcome = await sendOnce(body, sign, tools, callbacks, signal);
      if (outcome === "unexplained") throw await client.diagnose("upload", signal);
      if (outcome !== "forbidden") return outcome;
      // The URL expired while it waited or sent. If fresh URLs are refused, too, there is another reason.
      if (++renewals > MAX_RENEWALS) throw await whyRefused(client, signal);
    }
  };
  const onRetry = (problem: StorageProblem) => {
    if (problem.code === "unavailable" || problem.details.stalled) concurrency.onCongestion();
    callbacks.onProgress(0);
    callbacks.onRetry(problem);
  };
  const outcome = await withRetries(attempt, timing, onRetry, signal);
  if (outcome === "done") concurrency.onSuccess(body.size);
  return outcome;
}

async function sendOnce(
  body: ReadBlob["body"],
  sign: () => Promise<PutTarget>,
  { put, timing, concurrency }: SendTools,
  { onProgress, onSending }: SendCallbacks,
  signal: AbortSignal,
): Promise<PutOutcome> {
  // Signed before the request may start, so that no permit is held while waiting for a signature.
  let target = await sign();
  const release = await concurrency.acquire(signal);
  try {
    if (timing.now() >= target.usableUntil) target = await sign();
    onSending();
    return await put(target, body, onProgress, signal);
  } finally {
    release();
  }
}

async function whyRefused(client: UploadClient, signal: AbortSignal): Promise<StorageProblem> {
  const problem = await client.diagnose("upload", signal);
  return problem.code === "unreachable" ? new StorageProblem("denied", problem.details) : problem;
}
