import { isAbort, type StorageClient, StorageProblem } from "../storage-client";
import { whyUnreachable } from "../why-unreachable";

/**
 * The bytes of a file, straight from the store; no more than the first `limit` when one is given.
 * Rejects with a StorageProblem or the signal's reason.
 */
export async function fetchObject(
  client: StorageClient,
  key: string,
  limit: number | null,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { url } = await client.presignDownload(key, "inline", signal);
  // Nothing has a range of an empty file: the store would answer 416.
  const headers: Record<string, string> = limit === null ? {} : { Range: `bytes=0-${limit - 1}` };
  const response = await fetch(url, { headers, signal }).catch(async (error: unknown) => {
    throw isAbort(error) ? error : await whyUnreachable(url);
  });
  if (!response.ok) throw new StorageProblem(response.status === 404 ? "not_found" : "failed");
  return new Uint8Array(await response.arrayBuffer());
}
