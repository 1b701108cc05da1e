import { type FilesClient, FilesError, isAbort } from "platform-embed-element/client";
import { readBeginning } from "../../../shared/read-beginning";
import type { ContentName } from "../place/content-of";

/** Maximum number of times to renew a refused presigned URL. Then the refusal is reported. */
const MAX_RENEWALS = 2;

/** The URL of a blob until `signal` is aborted. @throws the signal's reason */
export function objectUrl(blob: Blob, signal: AbortSignal): string {
  signal.throwIfAborted();
  const url = URL.createObjectURL(blob);
  signal.addEventListener("abort", () => URL.revokeObjectURL(url));
  return url;
}

/**
 * Reads a file, or an older version of it, from the store.
 * @param limit bytes. The size of a file does not limit them: the browser unpacks one with `Content-Encoding: gzip`, which whoever uploads it may set
 * @throws a FilesError, `failed` if there are more, or the signal's reason
 */
export async function fetchObject(
  client: FilesClient,
  file: ContentName,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { bytes, cut } = await fetchBeginning(client, file, limit, signal);
  if (cut) throw new FilesError("failed", { message: "The file unpacks to too many bytes." });
  return bytes;
}

/**
 * The first `limit` bytes of a file, and whether there are more. Not by a Range request: with `Content-Encoding: gzip`, a range of the
 * compressed bytes would say nothing about the length of the text.
 */
export async function fetchBeginning(
  client: FilesClient,
  file: ContentName,
  limit: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; cut: boolean }> {
  const response = await openObject(client, file, signal);
  return reading(signal, () => readBeginning(response, limit));
}

/**
 * Some bytes of a file, and no more. `end` is exclusive.
 * @param disposition `attachment` for what the person keeps, which is recorded as a download
 * @throws a FilesError, `changed` if the store returns others, or the signal's reason
 */
export async function fetchRange(
  client: FilesClient,
  file: ContentName,
  { start, end }: { start: number; end: number },
  signal: AbortSignal,
  disposition?: "inline" | "attachment",
): Promise<Uint8Array<ArrayBuffer>> {
  const headers = { Range: `bytes=${start}-${end - 1}` };
  const response = await openObject(client, file, signal, { headers, disposition });
  const { bytes, cut } = await reading(signal, () => readBeginning(response, end - start));
  if (response.status !== 206 || cut || bytes.length < end - start) throw new FilesError("changed");
  return bytes;
}

interface OpenOptions {
  headers?: Record<string, string>;
  disposition?: "inline" | "attachment";
}

/** A successful response. An expired URL is renewed; some stores report it without CORS headers, so any network error is retried, too. */
async function openObject(
  client: FilesClient,
  file: ContentName,
  signal: AbortSignal,
  { headers, disposition = "inline" }: OpenOptions = {},
): Promise<Response> {
  for (let renewals = 0; ; renewals++) {
    const url = await client.downloads.url(file, { disposition, signal });
    const response = await fetch(url, { signal, headers }).catch((error: unknown) => {
      if (isAbort(error)) throw error;
      return null;
    });
    if (response?.ok) return response;
    await response?.body?.cancel();
    // S3 answers with 400 if the session that signed the URL is over.
    if (response !== null && response.status !== 403 && response.status !== 400) {
      throw new FilesError(response.status === 404 ? "not_found" : "failed");
    }
    const refused = response !== null;
    if (refused && renewals < MAX_RENEWALS) continue;
    const problem = await client.downloads.diagnose(signal);
    if (problem.code !== "unreachable") throw problem;
    if (refused) throw new FilesError("denied", { requestId: problem.requestId });
    if (renewals >= MAX_RENEWALS) throw problem;
  }
}

/** An error while reading the body is a connection error. */
async function reading<Result>(signal: AbortSignal, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isAbort(error) || signal.aborted) throw error;
    throw new FilesError(navigator.onLine ? "unreachable" : "offline");
  }
}
