import type { ArchiveProgress, Downloads } from "platform-embed-element/client";
import { saveBlob } from "../../screen/save-blob";
import { type ArchiveToSave, saveByWorker, startWorker } from "./save-by-worker";

/** Limit for archives made in memory, and for Firefox, which keeps a service worker's response in memory. */
const MAX_MEMORY_BYTES = 500_000_000;
/** How long the request that tests the CORS rules may take. */
const CORS_CHECK_TIMEOUT_MS = 30_000;

interface SaveTools {
  downloads: Pick<Downloads, "diagnose">;
  onProgress(progress: Readonly<ArchiveProgress>): void;
  /** called when the way of saving is known */
  onStrategy(strategy: "archive" | "memory" | "singly"): void;
}

/**
 * Saves an archive in the best way that this browser supports.
 * @returns `singly` when there is none: save the files one by one
 * @throws a FilesError or the signal's reason
 */
export async function saveArchive(
  archive: ArchiveToSave,
  tools: SaveTools,
  signal: AbortSignal,
): Promise<"done" | "stopped" | "singly"> {
  const fits = archive.zip.size <= MAX_MEMORY_BYTES;
  if ((fits || !isFirefox()) && (await canReadStore(archive, tools, signal))) {
    const worker = await startWorker();
    if (worker) {
      const outcome = await saveByWorker(worker, archive, tools, signal);
      if (outcome !== "unused") return outcome;
    }
    if (fits) {
      tools.onStrategy("memory");
      return saveAsBlob(archive, tools, signal);
    }
  }
  signal.throwIfAborted();
  tools.onStrategy("singly");
  return "singly";
}

function isFirefox(): boolean {
  return /\bFirefox\//.test(navigator.userAgent);
}

/** False when the bucket's CORS rules do not let this page read. Saving single files needs no CORS rules. */
async function canReadStore(
  { zip: { entries, sign } }: ArchiveToSave,
  { downloads }: SaveTools,
  signal: AbortSignal,
): Promise<boolean> {
  const file = entries.find(({ key, size }) => key !== "" && size > 0);
  if (!file) return true;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(CORS_CHECK_TIMEOUT_MS)]);
  try {
    const { urls } = await sign([file.key], limited);
    const headers = { Range: "bytes=0-0" };
    const response = await fetch(urls[0] ?? "", { headers, credentials: "omit", signal: limited });
    await response.body?.cancel();
    return true;
  } catch {
    signal.throwIfAborted();
    // Other problems are reported when the archive is made.
    return (await downloads.diagnose(signal)).code !== "cors_blocked";
  }
}

/** Chunks are joined into blobs of about this size, which the browser may keep on disk. */
const PIECE_BYTES = 16 * 1024 * 1024;

/**
 * Makes an archive in memory, then lets the browser save it: for browsers without service workers.
 * @throws a FilesError or the signal's reason
 */
async function saveAsBlob(
  { fileName, zip }: ArchiveToSave,
  { onProgress }: SaveTools,
  signal: AbortSignal,
): Promise<"done"> {
  const pieces: Blob[] = [];
  let chunks: BlobPart[] = [];
  let length = 0;
  for await (const chunk of zip.bytes({ onProgress, signal })) {
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
    length += chunk.length;
    if (length < PIECE_BYTES) continue;
    pieces.push(new Blob(chunks));
    chunks = [];
    length = 0;
  }
  saveBlob(new Blob([...pieces, ...chunks], { type: "application/zip" }), fileName);
  return "done";
}
