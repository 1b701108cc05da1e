import { STALL_TIMEOUT_MS } from "platform-embed-element/client";
import { retryAfter, StorageProblem } from "../../place/contract/storage-problem";

/**
 * - `done`: the bytes are in the store.
 * - `exists`: the name is taken, and overwriting was not allowed.
 * - `unsupported`: the store does not support `If-None-Match` or the checksum.
 * - `forbidden`: the presigned URL or the session that signed it has expired, or the store refuses it for another reason.
 * - `unexplained`: it failed before a byte was sent and the browser gives no reason. CORS is a possible cause only in this case.
 */
export type PutOutcome = "done" | "exists" | "unsupported" | "forbidden" | "unexplained";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  body: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

/** Only the browser itself may set these. */
const SET_BY_BROWSER = /^(content-length|host)$/i;

/**
 * Sends bytes to a presigned URL. By XMLHttpRequest, because `fetch` reports no upload progress.
 * @throws a StorageProblem, or the signal's reason when it is cancelled
 */
export const putFile: PutFile = (target, body, onProgress, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    let sent = 0;
    let stalled = false;
    const fail = () => {
      if (!navigator.onLine) reject(new StorageProblem("offline"));
      else if (sent > 0 || stalled) reject(new StorageProblem("unreachable", { stalled }));
      else resolve("unexplained");
    };
    const cancel = () => request.abort();
    signal.addEventListener("abort", cancel);
    request.open("PUT", target.url);
    for (const [name, value] of Object.entries(target.headers)) {
      if (!SET_BY_BROWSER.test(name)) request.setRequestHeader(name, value);
    }
    const watch = watchProgress(body.size, () => {
      stalled = true;
      request.abort();
    });
    request.upload.onprogress = (event) => {
      sent = event.loaded;
      watch.progress(sent);
      onProgress(sent);
    };
    // Safari reports a dropped connection as an abort.
    request.onabort = () => (signal.aborted ? reject(signal.reason) : fail());
    request.onerror = fail;
    request.onload = () => {
      const outcome = outcomeOf(request);
      if (outcome !== null) resolve(outcome);
      else reject(problemOfResponse(request));
    };
    request.onloadend = () => {
      watch.end();
      signal.removeEventListener("abort", cancel);
    };
    request.send(body);
  });

/** S3's error codes, with status 400, for bytes that do not match their checksum. */
const DAMAGED = /<Code>(BadDigest|InvalidDigest|XAmzContent(Checksum|SHA256)Mismatch)<\/Code>/;
/** For a connection that was idle for too long. */
const TIMED_OUT = /<Code>(RequestTimeout|IncompleteBody)<\/Code>/;
/** With status 400, for a session that ended before the URL. */
const SESSION_OVER = /<Code>(ExpiredToken|InvalidToken|TokenRefreshRequired)<\/Code>/;
/** For a request feature that is not supported. */
const UNSUPPORTED = /<Code>(InvalidRequest|InvalidArgument|NotImplemented)<\/Code>/;

function outcomeOf({ status, responseText }: XMLHttpRequest): PutOutcome | null {
  if (status >= 200 && status < 300) return "done";
  // 409: another upload of the same name was under way, S3 "ConditionalRequestConflict".
  if (status === 412 || status === 409) return "exists";
  if (status === 501 || (status === 400 && UNSUPPORTED.test(responseText))) return "unsupported";
  return status === 403 || (status === 400 && SESSION_OVER.test(responseText)) ? "forbidden" : null;
}

function problemOfResponse(request: XMLHttpRequest): StorageProblem {
  const { status, responseText } = request;
  const isTemporary = status === 408 || status === 429 || status >= 500 || TIMED_OUT.test(responseText);
  const code = DAMAGED.test(responseText) ? "damaged" : status === 404 ? "not_found" : "failed";
  return new StorageProblem(isTemporary ? "unavailable" : code, {
    requestId: readableHeader(request, "x-amz-request-id") ?? undefined,
    retryAfter: retryAfter(readableHeader(request, "retry-after")),
  });
}

/** A response header, or null if the store's CORS rules hide it. `getResponseHeader` would log an error for a hidden one. */
function readableHeader(request: XMLHttpRequest, name: string): string | null {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(request.getAllResponseHeaders())?.[1] ?? null;
}

/** After the last byte a store takes time to write the object before it responds: at least this fast. */
const MIN_STORE_BYTES_PER_SECOND = 20_000_000;

/**
 * Calls `onStall` when an upload of `size` bytes makes no progress for STALL_TIMEOUT_MS; after the last byte, for the time that the store
 * may need to write the object.
 */
export function watchProgress(size: number, onStall: () => void) {
  let timer = setTimeout(onStall, STALL_TIMEOUT_MS);
  let before = 0;
  return {
    /** @param sent bytes so far */
    progress(sent: number): void {
      if (sent <= before) return;
      before = sent;
      clearTimeout(timer);
      timer = setTimeout(
        onStall,
        STALL_TIMEOUT_MS + (sent >= size ? (size / MIN_STORE_BYTES_PER_SECOND) * 1000 : 0),
      );
    },
    end(): void {
      clearTimeout(timer);
    },
  };
}
