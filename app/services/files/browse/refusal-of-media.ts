import { FilesError, isAbort } from "platform-embed-element/client";
import { readBeginning } from "../../../shared/read-beginning";
import { contentFormatOf } from "./content-format";
import type { Refusal } from "./run-worker";

/** Of the file. A playlist's first line is here, whatever blanks stand before it. */
const BEGINNING_BYTES = 1_024;
const playable: ReadonlySet<string> = new Set(["MP4", "QuickTime"]);

/**
 * Why a browser's player does not get the file: players know a playlist by its content, whatever its name and type, and load the addresses
 * in it. Null for films and sounds, for what has no mark, and where nothing can be read: the player then says why.
 * @throws FilesError `unreachable` if the connection breaks in the beginning; the signal's reason
 */
export async function refusalOfMedia(url: string, signal: AbortSignal): Promise<Refusal | null> {
  const range = { Range: `bytes=0-${BEGINNING_BYTES - 1}` };
  let bytes = await readFirst(url, range, signal);
  // A range of a file with a content encoding is one of the packed bytes, and may unpack to nothing.
  if (bytes !== null && bytes.length < BEGINNING_BYTES) bytes = await readFirst(url, {}, signal);
  const contentFormat = bytes && contentFormatOf(bytes);
  return contentFormat === null || playable.has(contentFormat) ? null : { contentFormat };
}

/** The beginning of a file; null where nothing can be read. */
async function readFirst(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const response = await fetch(url, { headers, signal }).catch((error: unknown) => {
    if (isAbort(error)) throw error;
    return null;
  });
  if (!response?.ok) return null;
  try {
    return (await readBeginning(response, BEGINNING_BYTES)).bytes;
  } catch {
    signal.throwIfAborted();
    throw new FilesError("unreachable");
  }
}
