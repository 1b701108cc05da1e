import { FilesError, readRetryAfter } from "../errors.js";
import { STALL_TIMEOUT_MS } from "../retry.js";
import type { World } from "../world.js";
import type { SendResponse } from "../world-send.js";

/**
 * - `done`: the bytes are in the store.
 * - `exists`: the name is taken, and overwriting was not allowed.
 * - `unsupported`: the store does not support `If-None-Match` or the checksum.
 * - `forbidden`: the presigned URL or the session that signed it has expired, or the store refuses it for another reason.
 * - `stalled`: nothing was transferred for a while.
 * - `unexplained`: it failed before a byte was sent and the browser gives no reason. CORS is a possible cause only in this case.
 */
export type PutOutcome = "done" | "exists" | "unsupported" | "forbidden" | "stalled" | "unexplained";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  body: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

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
