import { asProblem, retryAfter, StorageProblem } from "../../storage-problem";
import { type RetryTiming, realTiming, retryDelay, STALL_LIMIT } from "../retry";
import type { ArchiveEntry } from "./archive-entry";

export interface ReadTools {
  /** a presigned URL. @param renew not the one before: it was refused, or may be why it failed */
  urlOf(renew: boolean, signal: AbortSignal): Promise<string>;
  /** `true` when the connection has broken and is to be tried again, `false` when bytes come again */
  onInterrupted?(interrupted: boolean): void;
  /** the browser's own unless a test says otherwise */
  fetch?: typeof fetch;
  timing?: RetryTiming;
  /** Whoever reads is done with each chunk before asking for the next: they may share their memory. A chunk that is kept is emptied. */
  reuseBuffer?: boolean;
  /** how long not a byte may come before the connection counts as broken, milliseconds */
  stallLimit?: number;
}

/**
 * The bytes of a stored file, over as many requests as it takes: each goes on where the one before broke off, and only if the
 * file is still the same.
 * Rejects with a StorageProblem that names the file, or with the signal's reason.
 */
export async function* readObject(
  entry: ArchiveEntry,
  tools: ReadTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { timing = realTiming, onInterrupted } = tools;
  const version: Version = { etag: entry.etag, lastModified: null };
  let offset = 0;
  let retry = 0;
  let failedSince = 0;
  /** not a byte came since a request, or its signature, was refused */
  let refused = false;
  while (offset < entry.size) {
    try {
      for await (const chunk of request(entry, offset, version, retry > 0 || refused, tools, signal)) {
        if (offset + chunk.length > entry.size) throw new StorageProblem("changed");
        if (retry > 0) onInterrupted?.(false);
        offset += chunk.length;
        retry = 0;
        refused = false;
        yield chunk;
      }
      // A response may end early and look complete.
      if (offset < entry.size) throw new StorageProblem("unreachable");
    } catch (error) {
      signal.throwIfAborted();
      const problem = asProblem(error);
      if (problem.code === "denied" && !refused) {
        refused = true;
        continue;
      }
      if (retry === 0) failedSince = timing.now();
      const delay = retryDelay(retry, timing.now() - failedSince, problem, timing.random);
      if (delay === null) throw new StorageProblem(problem.code, { path: entry.path, ...problem.details });
      onInterrupted?.(true);
      await timing.wait(delay, signal);
      retry++;
    }
  }
}

/** What a later request asks to be unchanged. */
interface Version {
  etag: string;
  lastModified: string | null;
}

/** What one request brings, from `offset` on. Rejects with a StorageProblem or the signal's reason. */
async function* request(
  entry: ArchiveEntry,
  offset: number,
  version: Version,
  renew: boolean,
  { urlOf, fetch: send = fetch, stallLimit = STALL_LIMIT, reuseBuffer = false }: ReadTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const url = await urlOf(renew, signal);
  const attempt = new AbortController();
  const waitFor = <Result>(work: Promise<Result>) => unlessStalled(work, stallLimit, signal);
  try {
    const options = { headers: conditionsFrom(offset, version), signal: attempt.signal, ...PLAIN };
    const response = await waitFor(send(url, options));
    const skipped = checkResponse(response, entry.size, offset);
    version.etag ||= response.headers.get("ETag") ?? "";
    version.lastModified ??= response.headers.get("Last-Modified");
    if (response.body === null) return;
    const read = readerOf(response.body, reuseBuffer);
    for (let at = 0; ; ) {
      const { done, value } = await waitFor(read());
      if (done || value === undefined) return;
      const from = Math.min(Math.max(skipped - at, 0), value.length);
      at += value.length;
      if (from < value.length) yield value.subarray(from);
    }
  } finally {
    attempt.abort();
  }
}

/** The length of a buffer that is used again and again, bytes. */
const BUFFER = 128 * 1024;

type Read = () => Promise<ReadableStreamReadResult<Uint8Array>>;

/** Reads a body. @param reuse all of it into one buffer, where the browser can */
function readerOf(body: ReadableStream<Uint8Array>, reuse: boolean): Read {
  try {
    if (reuse) return reusing(body.getReader({ mode: "byob" }));
  } catch {
    // This browser's bodies are no byte streams.
  }
  const reader = body.getReader();
  return () => reader.read();
}

function reusing(reader: ReadableStreamBYOBReader): Read {
  let buffer = new ArrayBuffer(BUFFER);
  return async () => {
    const result = await reader.read(new Uint8Array(buffer));
    if (result.value) buffer = result.value.buffer;
    return result;
  };
}

/** A connection that hangs says nothing by itself. Rejects with StorageProblem or the signal's reason. */
function unlessStalled<Result>(work: Promise<Result>, limit: number, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(signal.aborted ? signal.reason : new StorageProblem("unreachable"));
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", fail);
    };
    const timer = setTimeout(fail, limit);
    signal.addEventListener("abort", fail);
    work.then(resolve, fail).finally(end);
  });
}

/** Nothing of ours goes to the store but the URL. */
const PLAIN = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" } as const;

/** The first request has no header of its own, so that no preflight is needed for each file. */
function conditionsFrom(offset: number, { etag, lastModified }: Version): Record<string, string> {
  if (offset === 0) return {};
  return {
    Range: `bytes=${offset}-`,
    ...(etag ? { "If-Match": etag } : lastModified ? { "If-Unmodified-Since": lastModified } : {}),
  };
}

/** How many bytes are to be skipped at the start of the body. Throws where the response is none that we can use. */
function checkResponse(response: Response, size: number, offset: number): number {
  const { status, headers } = response;
  if (status === 404) throw new StorageProblem("not_found");
  if (status === 412 || status === 416) throw new StorageProblem("changed");
  // Expired, or of a token that is no longer valid; S3 says some of it with 400.
  if (status === 400 || status === 401 || status === 403) throw new StorageProblem("denied");
  if (status === 408 || status === 429 || status >= 500) {
    throw new StorageProblem("unavailable", { retryAfter: retryAfter(headers.get("Retry-After")) });
  }
  if (status !== 200 && status !== 206) throw new StorageProblem("failed");
  // A store that does not know ranges sends everything again.
  const skipped = status === 206 ? 0 : offset;
  const length = headers.get("Content-Length");
  if (length !== null && Number(length) !== size - offset + skipped) {
    throw new StorageProblem("changed");
  }
  return skipped;
}
