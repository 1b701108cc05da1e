import { asFilesError, FilesError, readRetryAfter } from "../../errors.js";
import { type RetryTiming, retryDelay, STALL_TIMEOUT_MS } from "../../retry.js";
import type { World } from "../../world.js";
import type { ArchiveEntry } from "./list-tree.js";

export interface ReadTools {
  /** Returns a presigned URL. @param renew the previous one was refused, or may be the cause of a failure */
  urlOf(renew: boolean, signal: AbortSignal): Promise<string>;
  /** `true` when the connection broke and will be retried, `false` when bytes arrive again */
  onRetrying?(isRetrying: boolean): void;
  world: World;
  timing: RetryTiming;
  /** Chunks share one buffer: the consumer must be done with a chunk before it asks for the next. */
  reuseBuffer?: boolean;
  /** milliseconds without a byte after which the connection counts as broken; for tests */
  stallTimeoutMs?: number | undefined;
}

/**
 * Yields the bytes of a stored file. After a broken connection, another request continues at the same byte, on condition that the file has
 * not changed.
 * @throws a FilesError that names the file, or the signal's reason
 */
export async function* readObject(
  entry: ArchiveEntry,
  tools: ReadTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { timing, onRetrying } = tools;
  const version: Version = { etag: entry.etag, lastModified: null };
  let offset = 0;
  let retry = 0;
  let failedSince = 0;
  /** a request was refused, and no byte has arrived since */
  let refused = false;
  while (offset < entry.size) {
    try {
      for await (const chunk of request(entry, offset, version, retry > 0 || refused, tools, signal)) {
        if (offset + chunk.length > entry.size) throw new FilesError("changed");
        if (retry > 0) onRetrying?.(false);
        offset += chunk.length;
        retry = 0;
        refused = false;
        yield chunk;
      }
      // A response may end early and look complete.
      if (offset < entry.size) throw new FilesError("unreachable");
    } catch (error) {
      signal.throwIfAborted();
      const problem = asFilesError(error);
      if (problem.code === "denied" && !refused) {
        refused = true;
        continue;
      }
      if (retry === 0) failedSince = timing.now();
      const delay = retryDelay(retry, timing.now() - failedSince, problem, timing.random);
      if (delay === null) throw problem.about(entry.path);
      onRetrying?.(true);
      await timing.wait(delay, signal);
      retry++;
    }
  }
}

/**
 * Reads a small file by one request.
 * @param into at least as long as the file, which begins at its first byte
 * @returns null if the request fails, or the file has another length
 */
export async function readOnce(
  entry: ArchiveEntry,
  tools: ReadTools,
  into: Uint8Array,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  let length = 0;
  try {
    for await (const chunk of request(entry, 0, { etag: "", lastModified: null }, false, tools, signal)) {
      into.set(chunk, length);
      length += chunk.length;
    }
  } catch {
    return null;
  }
  return length === entry.size ? into.subarray(0, length) : null;
}

/** The version of the file that later requests insist on. */
interface Version {
  etag: string;
  lastModified: string | null;
}

/** The bytes of one request, from `offset` on. @throws a FilesError or the signal's reason */
async function* request(
  entry: ArchiveEntry,
  offset: number,
  version: Version,
  renew: boolean,
  { urlOf, world, stallTimeoutMs = STALL_TIMEOUT_MS, reuseBuffer = false }: ReadTools,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const url = await urlOf(renew, signal);
  const attempt = new AbortController();
  const waitFor = <Result>(work: Promise<Result>) => unlessStalled(work, world, stallTimeoutMs, signal);
  try {
    const options = { headers: conditionsFrom(offset, version), signal: attempt.signal, ...NO_CREDENTIALS };
    const response = await waitFor(world.fetch(url, options));
    const skipped = checkResponse(response, world.clock.date(), entry.size, offset);
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

const BUFFER_BYTES = 128 * 1024;

type Read = () => Promise<{ done: boolean; value?: Uint8Array | undefined }>;

/** Reads a body. @param reuse always into the same buffer, if the browser supports it */
function readerOf(body: ReadableStream<Uint8Array>, reuse: boolean): Read {
  try {
    if (reuse) return reusing(body.getReader({ mode: "byob" }));
  } catch {
    // In this browser, response bodies are not byte streams.
  }
  const reader = body.getReader();
  return () => reader.read();
}

function reusing(reader: ReadableStreamBYOBReader): Read {
  let buffer = new ArrayBuffer(BUFFER_BYTES);
  return async () => {
    const result = await reader.read(new Uint8Array(buffer));
    if (result.value) buffer = result.value.buffer;
    return result;
  };
}

/** @throws a FilesError when `work` takes longer than `limit` milliseconds, or the signal's reason */
function unlessStalled<Result>(
  work: Promise<Result>,
  { timers }: World,
  limit: number,
  signal: AbortSignal,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(signal.aborted ? signal.reason : new FilesError("unreachable"));
    const end = () => {
      stopTimer();
      signal.removeEventListener("abort", fail);
    };
    const stopTimer = timers.start(fail, limit);
    signal.addEventListener("abort", fail);
    work.then(resolve, fail).finally(end);
  });
}

/** The store gets nothing but the URL. */
const NO_CREDENTIALS = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" } as const;

/** None for the first request, so that no file needs a CORS preflight. */
function conditionsFrom(offset: number, { etag, lastModified }: Version): Record<string, string> {
  if (offset === 0) return {};
  return {
    Range: `bytes=${offset}-`,
    ...(etag ? { "If-Match": etag } : lastModified ? { "If-Unmodified-Since": lastModified } : {}),
  };
}

/** @param date milliseconds since 1970 @returns how many bytes of the body to skip. Throws a FilesError for a response that cannot be used. */
function checkResponse(response: Response, date: number, size: number, offset: number): number {
  const { status, headers } = response;
  if (status === 404) throw new FilesError("not_found");
  if (status === 412 || status === 416) throw new FilesError("changed");
  // The URL expired, or its token is no longer valid. S3 answers some of these with 400.
  if (status === 400 || status === 401 || status === 403) throw new FilesError("denied");
  if (status === 408 || status === 429 || status >= 500) {
    throw new FilesError("unavailable", {
      retryAfter: readRetryAfter(headers.get("Retry-After"), date),
    });
  }
  if (status !== 200 && status !== 206) throw new FilesError("failed");
  // A store without range support sends everything again.
  const skipped = status === 206 ? 0 : offset;
  const length = headers.get("Content-Length");
  if (length !== null && Number(length) !== size - offset + skipped) {
    throw new FilesError("changed");
  }
  return skipped;
}
