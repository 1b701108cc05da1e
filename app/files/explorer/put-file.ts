import { StorageProblem } from "./storage-client";
import { whyUnreachable } from "./why-unreachable";

/**
 * - `done`: the bytes are in the store.
 * - `exists`: a file of that name is there, and we had asked not to overwrite it.
 * - `unconditional`: the store does not know `If-None-Match`. Decisions, section 7.
 * - `stale`: the presigned URL no longer serves.
 */
export type PutOutcome = "done" | "exists" | "unconditional" | "stale";

export type PutFile = (
  target: { url: string; headers: Record<string, string> },
  file: Blob,
  /** bytes sent so far */
  onProgress: (sent: number) => void,
  signal: AbortSignal,
) => Promise<PutOutcome>;

/** The browser sets these itself and refuses to be told. */
const setByBrowser = new Set(["content-length", "host"]);

/**
 * Sends `file` to a presigned URL by XMLHttpRequest, the one way to learn how much has been sent.
 * Rejects with a StorageProblem, or with the signal's reason when it is cancelled.
 */
export const putFile: PutFile = (target, file, onProgress, signal) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const cancel = () => request.abort();
    signal.addEventListener("abort", cancel);
    request.open("PUT", target.url);
    for (const [name, value] of Object.entries(target.headers)) {
      if (!setByBrowser.has(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onabort = () => reject(signal.reason);
    request.onerror = () => whyUnreachable(target.url).then(reject, reject);
    request.onload = () => {
      const outcome = outcomeOf(request.status);
      if (outcome !== null) resolve(outcome);
      else reject(problemOfAnswer(request));
    };
    request.onloadend = () => signal.removeEventListener("abort", cancel);
    request.send(file);
  });

function outcomeOf(status: number): PutOutcome | null {
  if (status >= 200 && status < 300) return "done";
  // 409: another upload of the same name was under way, S3 "ConditionalRequestConflict".
  if (status === 412 || status === 409) return "exists";
  if (status === 501) return "unconditional";
  return status === 403 ? "stale" : null;
}

function problemOfAnswer(request: XMLHttpRequest): StorageProblem {
  const requestId = request.getResponseHeader("x-amz-request-id") ?? undefined;
  return new StorageProblem(request.status === 503 ? "unavailable" : "failed", { requestId });
}
