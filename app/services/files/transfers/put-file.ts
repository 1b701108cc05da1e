import { retryAfter, StorageProblem } from "../storage-client";
import { watchProgress } from "./watch-progress";

/**
 * - `done`: the bytes are in the store.
 * - `exists`: a file of that name is there, and we had asked not to overwrite it.
 * - `unconditional`: the store does not know `If-None-Match`.
 * - `stale`: the presigned URL no longer serves.
 * - `unexplained`: it failed before a byte was sent, and the browser does not say why: only then can CORS be the cause.
 */
export type PutOutcome = "done" | "exists" | "unconditional" | "stale" | "unexplained";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  file: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

/** The browser sets these itself and does not let a page set them. */
const setByBrowser = new Set(["content-length", "host"]);

/**
 * Sends `file` to a presigned URL by XMLHttpRequest, the one way to learn how much has been sent.
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export const putFile: PutFile = (target, file, onProgress, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    let sent = 0;
    const fail = () => {
      if (!navigator.onLine) reject(new StorageProblem("offline"));
      else if (sent > 0) reject(new StorageProblem("unreachable"));
      else resolve("unexplained");
    };
    const cancel = () => request.abort();
    signal.addEventListener("abort", cancel);
    request.open("PUT", target.url);
    for (const [name, value] of Object.entries(target.headers)) {
      if (!setByBrowser.has(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    const watch = watchProgress(file.size, cancel);
    request.upload.onprogress = (event) => {
      sent = event.loaded;
      watch.progress(sent);
      onProgress(sent);
    };
    request.onabort = () => (signal.aborted ? reject(signal.reason) : fail());
    request.onerror = fail;
    request.onload = () => {
      const outcome = outcomeOf(request.status);
      if (outcome !== null) resolve(outcome);
      else reject(problemOfResponse(request));
    };
    request.onloadend = () => {
      watch.end();
      signal.removeEventListener("abort", cancel);
    };
    request.send(file);
  });

function outcomeOf(status: number): PutOutcome | null {
  if (status >= 200 && status < 300) return "done";
  // 409: another upload of the same name was under way, S3 "ConditionalRequestConflict".
  if (status === 412 || status === 409) return "exists";
  if (status === 501) return "unconditional";
  return status === 403 ? "stale" : null;
}

/** S3's word, with status 400, for a connection on which nothing came for too long. */
const TIMED_OUT = /<Code>(RequestTimeout|IncompleteBody)<\/Code>/;

function problemOfResponse(request: XMLHttpRequest): StorageProblem {
  const { status } = request;
  const passes = status === 408 || status === 429 || status >= 500 || TIMED_OUT.test(request.responseText);
  return new StorageProblem(passes ? "unavailable" : status === 404 ? "not_found" : "failed", {
    requestId: readableHeader(request, "x-amz-request-id") ?? undefined,
    retryAfter: retryAfter(readableHeader(request, "retry-after")),
  });
}

/** A header that the store's CORS rules let the page read. Asking for another by its name would be an error on the console. */
function readableHeader(request: XMLHttpRequest, name: string): string | null {
  return new RegExp(`^${name}: *(.*?) *$`, "im").exec(request.getAllResponseHeaders())?.[1] ?? null;
}
