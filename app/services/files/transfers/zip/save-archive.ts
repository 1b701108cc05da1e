import type { StorageClient } from "../../storage-client";
import type { ArchiveTools } from "./archive-bytes";
import { type ArchiveToSave, saveByWorker, startWorker } from "./save-by-worker";

/** The most that is made an archive in memory, and that Firefox saves from a worker, whose bytes it keeps in memory; bytes of files. */
export const MOST_IN_MEMORY = 500_000_000;
/** How long the store may take to show that this page may read it, milliseconds. */
const LOOK_LIMIT = 30_000;

export interface SaveTools extends Pick<ArchiveTools, "sign" | "onProgress"> {
  client: Pick<StorageClient, "diagnose">;
  /** how it is saved, as soon as that is known */
  onWay(way: "archive" | "memory" | "singly"): void;
}

/**
 * Saves an archive in the best way that this browser has.
 * @returns `singly` when there is none: the files have to be saved one by one
 * Rejects with a StorageProblem or the signal's reason.
 */
export async function saveArchive(
  archive: ArchiveToSave,
  tools: SaveTools,
  signal: AbortSignal,
): Promise<"done" | "stopped" | "singly"> {
  const fits = archive.entries.reduce((sum, { size }) => sum + size, 0) <= MOST_IN_MEMORY;
  if ((fits || !isFirefox()) && (await canReadStore(archive, tools, signal))) {
    const worker = await startWorker();
    if (worker) {
      const outcome = await saveByWorker(worker, archive, tools, signal);
      if (outcome !== "unused") return outcome;
    }
    if (fits) {
      tools.onWay("memory");
      const { saveAsBlob } = await import("./save-as-blob");
      return saveAsBlob(archive, tools, signal);
    }
  }
  signal.throwIfAborted();
  tools.onWay("singly");
  return "singly";
}

function isFirefox(): boolean {
  return /\bFirefox\//.test(navigator.userAgent);
}

/** False when the bucket's rules keep this page from reading: saving a file by its address needs none. */
async function canReadStore(
  { entries }: ArchiveToSave,
  { client, sign }: SaveTools,
  signal: AbortSignal,
): Promise<boolean> {
  const file = entries.find(({ size }) => size > 0);
  if (!file) return true;
  const look = new AbortController();
  const end = () => look.abort();
  signal.addEventListener("abort", end);
  const timer = setTimeout(end, LOOK_LIMIT);
  try {
    const { urls } = await sign([file.key], look.signal);
    const headers = { Range: "bytes=0-0" };
    const response = await fetch(urls[0] ?? "", { headers, credentials: "omit", signal: look.signal });
    await response.body?.cancel();
    return true;
  } catch {
    signal.throwIfAborted();
    // Whatever else it is, making the archive tries again, and then says it.
    return (await client.diagnose("download", signal)).code !== "cors_blocked";
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}
