import { retryAfter, StorageProblem } from "../storage-problem";
import { watchProgress } from "./watch-progress";

/**
 * - `done`: the bytes are in the store.
 * - `exists`: a file of that name is there, and we had asked not to overwrite it.
 * - `unsupported`: the store does not know something that we asked for, `If-None-Match` or a checksum.
 * - `stale`: the presigned URL no longer serves.
 * - `unexplained`: it failed before a byte was sent, and the browser does not say why: only then can CORS be the cause.
 */
export type PutOutcome = "done" | "exists" | "unsupported" | "stale" | "unexplained";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  body: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

/** The browser sets these itself and does not let a page set them. */
const SET_BY_BROWSER = /^(content-length|host)$/i;

/**
 * Sends bytes to a presigned URL by XMLHttpRequest, the one way to learn how much has been sent.
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
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
    // Safari reports a dropped connection as an abort, too.
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

/** S3's words, with status 400, for bytes that are not those that the checksum was made of. */
const DAMAGED = /<Code>(BadDigest|InvalidDigest|XAmzContent(Checksum|SHA256)Mismatch)<\/Code>/;
/** And for a connection on which nothing came for too long. */
const TIMED_OUT = /<Code>(RequestTimeout|IncompleteBody)<\/Code>/;
/** And for something that was asked for and that it does not know. */
const UNSUPPORTED = /<Code>(InvalidRequest|InvalidArgument|NotImplemented)<\/Code>/;

function outcomeOf({ status, responseText }: XMLHttpRequest): PutOutcome | null {
  if (status >= 200 && status < 300) return "done";
  // 409: another upload of the same name was under way, S3 "ConditionalRequestConflict".
  if (status === 412 || status === 409) return "exists";
  if (status === 501 || (status === 400 && UNSUPPORTED.test(responseText))) return "unsupported";
  return status === 403 ? "stale" : null;
}

function problemOfResponse(request: XMLHttpRequest): StorageProblem {
  const { status, responseText } = request;
  const passes = status === 408 || status === 429 || status >= 500 || TIMED_OUT.test(responseText);
  const code = DAMAGED.test(responseText) ? "damaged" : status === 404 ? "not_found" : "failed";
  return new StorageProblem(passes ? "unavailable" : code, {
    requestId: readableHeader(request, "x-amz-request-id") ?? undefined,
    retryAfter: retryAfter(readableHeader(request, "retry-after")),
  });
}

/** A header that the store's CORS rules let the page read. Asking for another by its name would be an error on the console. */
function readableHeader(request: XMLHttpRequest, name: string): string | null {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(request.getAllResponseHeaders())?.[1] ?? null;
}
