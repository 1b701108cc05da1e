import type { Diagnose } from "../diagnose.js";
import { FilesError, readRetryAfter } from "../errors.js";
import { STALL_TIMEOUT_MS, withRetries } from "../retry.js";
import type { World } from "../world.js";
import type { SendResponse } from "../world-send.js";
import type { PutFile, PutOutcome, SendContext } from "./send-context.js";

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

/** Sends bytes to a presigned URL. The function throws a FilesError, or the signal's reason when it is cancelled. */
export function createPutFile(world: World): PutFile {
  return async ({ url, headers }, body, onProgress, signal) => {
    const stall = new AbortController();
    const watch = watchProgress(world.timers, body.size, () => stall.abort());
    let sent = 0;
    const report = (bytes: number) => {
      sent = bytes;
      watch.progress(bytes);
      onProgress(bytes);
    };
    try {
      const either = AbortSignal.any([signal, stall.signal]);
      const response = await world.send({ url, headers, body, onProgress: report, signal: either });
      const outcome = outcomeOf(response);
      if (outcome === null) throw errorOf(response, world.clock.date());
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      const isStalled = stall.signal.aborted;
      if (!isStalled && !(error instanceof TypeError)) throw error;
      if (!world.network.isOnline()) throw new FilesError("offline");
      if (isStalled) return "stalled";
      if (sent > 0) throw new FilesError("unreachable");
      return "unexplained";
    } finally {
      watch.end();
    }
  };
}

/** S3's error codes, with status 400, for bytes that do not match their checksum. */
const DAMAGED = /<Code>(BadDigest|InvalidDigest|XAmzContent(Checksum|SHA256)Mismatch)<\/Code>/;
/** For a connection that was idle for too long. */
const TIMED_OUT = /<Code>(RequestTimeout|IncompleteBody)<\/Code>/;
/** With status 409, while another upload of the same name is under way: it may be an earlier attempt, or fail. */
const IN_THE_WAY = /<Code>(ConditionalRequestConflict|OperationAborted)<\/Code>/;
/** With status 400, for a session that ended before the URL. */
const SESSION_OVER = /<Code>(ExpiredToken|InvalidToken|TokenRefreshRequired)<\/Code>/;
/** For a request feature that is not supported. */
const UNSUPPORTED = /<Code>(InvalidRequest|InvalidArgument|NotImplemented)<\/Code>/;

function outcomeOf({ status, body }: SendResponse): PutOutcome | null {
  if (status >= 200 && status < 300) return "done";
  if (status === 409 && IN_THE_WAY.test(body)) return null;
  if (status === 412 || status === 409) return "exists";
  if (status === 501 || (status === 400 && UNSUPPORTED.test(body))) return "unsupported";
  return status === 403 || (status === 400 && SESSION_OVER.test(body)) ? "forbidden" : null;
}

/** An error of the store. It gets no status: that is the platform's. @param date milliseconds since 1970 */
function errorOf({ status, body, header }: SendResponse, date: number): FilesError {
  const isTemporary =
    status === 408 || status === 429 || status >= 500 || TIMED_OUT.test(body) || IN_THE_WAY.test(body);
  const code = DAMAGED.test(body) ? "damaged" : status === 404 ? "not_found" : "failed";
  return new FilesError(isTemporary ? "unavailable" : code, {
    requestId: header("x-amz-request-id") ?? undefined,
    retryAfter: readRetryAfter(header("retry-after"), date),
  });
}

/** After the last byte a store takes time to write the object before it responds: at least this fast. */
const MIN_STORE_BYTES_PER_SECOND = 20_000_000;

/**
 * Calls `onStall` when an upload of `size` bytes makes no progress for STALL_TIMEOUT_MS; after the last byte, for the time that the store
 * may need to write the object.
 */
export function watchProgress(timers: World["timers"], size: number, onStall: () => void) {
  let stop = timers.start(onStall, STALL_TIMEOUT_MS);
  let before = 0;
  return {
    /** @param sent bytes so far */
    progress(sent: number): void {
      if (sent <= before) return;
      before = sent;
      stop();
      const writingMs = sent >= size ? (size / MIN_STORE_BYTES_PER_SECOND) * 1000 : 0;
      stop = timers.start(onStall, STALL_TIMEOUT_MS + writingMs);
    },
    end: () => stop(),
  };
}
