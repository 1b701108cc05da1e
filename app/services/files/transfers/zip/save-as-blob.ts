import { saveBlob } from "../save-blob";
import { type ArchiveTools, archiveBytes } from "./archive-bytes";
import type { ArchiveToSave } from "./save-by-worker";

/** What is in memory is handed over in pieces of about this length, bytes: the browser may put them on disk. */
const PIECE = 16 * 1024 * 1024;

/**
 * Makes an archive in memory, then has the browser save it: for browsers without a service worker, and archives that fit.
 * Rejects with a StorageProblem or the signal's reason.
 */
export async function saveAsBlob(
  { fileName, entries }: ArchiveToSave,
  tools: ArchiveTools,
  signal: AbortSignal,
): Promise<"done"> {
  const pieces: Blob[] = [];
  let chunks: BlobPart[] = [];
  let length = 0;
  for await (const chunk of archiveBytes(entries, tools, signal)) {
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
    length += chunk.length;
    if (length < PIECE) continue;
    pieces.push(new Blob(chunks));
    chunks = [];
    length = 0;
  }
  saveBlob(new Blob([...pieces, ...chunks], { type: "application/zip" }), fileName);
  return "done";
}
