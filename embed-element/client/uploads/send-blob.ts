import type { Diagnose } from "../diagnose.js";
import { FilesError } from "../errors.js";
import { withRetries } from "../retry.js";
import type { PutOutcome } from "./put-file.js";
import type { SendContext } from "./send-context.js";

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
 * @throws a FilesError, or the signal's reason
 */
export async function sendBlob(
  body: Blob,
  sign: () => Promise<PutTarget>,
  context: SendContext,
): Promise<Extract<PutOutcome, "done" | "exists" | "unsupported">> {
  const { tools, signal } = context;
  const { diagnose, concurrency, timing } = tools;

  const attempt = async () => {
    for (let renewals = 0; ; renewals++) {
      const outcome = await sendOnce(body, sign, context);
      if (outcome === "unexplained") throw await diagnose(signal);
      if (outcome === "stalled") {
        concurrency.onCongestion();
        throw new FilesError("unreachable");
      }
      if (outcome !== "forbidden") return outcome;
      // The URL may have expired while the request waited or was sent. If new URLs are refused, too, there is another reason.
      if (renewals === MAX_RENEWALS) throw await whyRefused(diagnose, signal);
    }
  };
  const onRetry = (error: FilesError) => {
    if (isBusy(error)) concurrency.onCongestion();
    context.onProgress(0);
    context.onRetry(error);
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

/** The store or the platform asks for fewer requests. */
const isBusy = ({ code, status }: FilesError) => code === "unavailable" || status === 503 || status === 429;

/** @returns `denied` if the platform finds nothing wrong with the store */
async function whyRefused(diagnose: Diagnose, signal: AbortSignal): Promise<FilesError> {
  const error = await diagnose(signal);
  return error.code === "unreachable" ? new FilesError("denied", { requestId: error.requestId }) : error;
}
