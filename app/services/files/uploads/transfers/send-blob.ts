import { withRetries } from "../../place/contract/retry";
import { StorageProblem } from "../../place/contract/storage-problem";
import type { PutOutcome } from "./put-file";
import type { SendContext, UploadClient } from "./send-context";

/** Maximum number of times to renew a refused presigned URL. Then the refusal is reported. */
const MAX_RENEWALS = 2;

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
  body: Blob,
  sign: () => Promise<PutTarget>,
  context: SendContext,
): Promise<Extract<PutOutcome, "done" | "exists" | "unsupported">> {
  const { tools, signal } = context;
  const { client, concurrency, timing } = tools;

  const attempt = async () => {
    for (let renewals = 0; ; renewals++) {
      const outcome = await sendOnce(body, sign, context);
      if (outcome === "unexplained") throw await client.diagnose("upload", signal);
      if (outcome !== "forbidden") return outcome;
      // The URL may have expired while the request waited or was sent. If new URLs are refused, too, there is another reason.
      if (renewals === MAX_RENEWALS) throw await whyRefused(client, signal);
    }
  };
  const onRetry = (problem: StorageProblem) => {
    if (problem.code === "unavailable" || problem.details.stalled) concurrency.onCongestion();
    context.onProgress(0);
    context.onRetry(problem);
  };
  const outcome = await withRetries(attempt, timing, { onRetry, signal });
  if (outcome === "done") concurrency.onSuccess(body.size);
  return outcome;
}

async function sendOnce(
  body: Blob,
  sign: () => Promise<PutTarget>,
  { tools, onProgress, onSending, signal }: SendContext,
): Promise<PutOutcome> {
  const { put, timing, concurrency } = tools;
  // Signed before the request may start, so that no permit is held while waiting for a signature.
  let target = await sign();
  return concurrency.run(async () => {
    if (timing.now() >= target.usableUntil) target = await sign();
    onSending();
    return put(target, body, onProgress, signal);
  }, signal);
}

/** @returns `denied` if the server finds nothing wrong with the store */
async function whyRefused(client: UploadClient, signal: AbortSignal): Promise<StorageProblem> {
  const problem = await client.diagnose("upload", signal);
  return problem.code === "unreachable" ? new StorageProblem("denied", problem.details) : problem;
}
