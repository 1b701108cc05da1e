import { saveBlob } from "./save-blob";

/**
 * Reads the file first, and then has the browser save it: what is large the browser keeps on disk. Resolves when it has been handed over.
 * @param onRefused called where the store does not hand it over
 */
export async function saveFromMemory(
  url: string,
  key: string,
  onRefused: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  try {
    const response = await fetch(url, { credentials: "omit", signal });
    if (!response.ok) return onRefused();
    saveBlob(await response.blob(), key.slice(key.lastIndexOf("/") + 1));
  } catch {
    signal?.throwIfAborted();
    return onRefused();
  }
}
