import { type Encoding, encodingOfMark, isUtf8 } from "./decode-text";
import type { EncodingResponse } from "./encoding.worker";
import { runWorker } from "./run-worker";

export interface DetectedEncoding {
  /** null if the bytes look like no text */
  encoding: Encoding | null;
  /** It is no guess. */
  isCertain: boolean;
}

/** A guess takes a tenth of a second on most machines, and a tenth of this on a busy one. */
const TIMEOUT_MS = 10_000;
/** The worker gets at most so much, from the line with the first letter that is not ASCII. */
const MAX_SAMPLE_BYTES = 65_536;

/**
 * The encoding of the first bytes of a file. Most files are UTF-8, which other encodings hardly ever are by accident. Only the others are
 * guessed, in a worker.
 * @throws FilesError if the worker could not be loaded, or the signal's reason
 */
export async function detectEncoding(bytes: Uint8Array, signal: AbortSignal): Promise<DetectedEncoding> {
  const known = knownEncoding(bytes);
  if (known) return known;
  const response = await runWorker<EncodingResponse>("encoding", sampleOf(bytes), TIMEOUT_MS, signal);
  const { encoding } = response ?? { encoding: null };
  return { encoding: encoding ?? unlikelyEncoding(bytes), isCertain: false };
}

/** What needs no guess; null if there is doubt. */
export function knownEncoding(bytes: Uint8Array): DetectedEncoding | null {
  const marked = encodingOfMark(bytes);
  if (marked) return { encoding: marked, isCertain: true };
  const text = withoutPadding(bytes);
  if (text.length === 0 && bytes.length > 0) return { encoding: null, isCertain: false };
  if (isUtf8(text)) return isOdd(text) ? null : { encoding: "utf-8", isCertain: true };
  return hasFewErrors(text) ? { encoding: "utf-8", isCertain: false } : null;
}

/** Some programs fill files up with zeros. */
function withoutPadding(bytes: Uint8Array): Uint8Array {
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length--;
  return bytes.subarray(0, length);
}

/**
 * Whether bytes that are valid UTF-8 may be another encoding, or no text: UTF-16 without a mark has control characters for upper bytes, and
 * ISO-2022 consists of ASCII and escape sequences. Those of terminals begin otherwise.
 */
function isOdd(bytes: Uint8Array): boolean {
  return bytes.some((byte, index) => {
    const isEscape = byte === 0x1b && (bytes[index + 1] === 0x24 || bytes[index + 1] === 0x28);
    return isEscape || byte < 0x07 || (byte > 0x0d && byte < 0x1a) || (byte > 0x1b && byte < 0x20);
  });
}

/** A few broken characters, perhaps in a log, among many that are not. */
function hasFewErrors(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes, { stream: true });
  if (text.includes("\0")) return false;
  let broken = 0;
  let others = 0;
  // A regular expression would make a list of all of them, in most of a second.
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken++;
    else if (code >= 0x80) others++;
  }
  return broken * 20 < others;
}

const NEWLINE = 0x0a;

/** What the worker gets. */
export function sampleOf(bytes: Uint8Array): Uint8Array {
  const text = withoutPadding(bytes);
  // The last character of a text in UTF-16 or UTF-32 may end with zeros.
  if (text.includes(0)) return bytes.slice(0, Math.min(Math.ceil(text.length / 4) * 4, MAX_SAMPLE_BYTES));
  const first = text.findIndex((byte) => byte >= 0x80);
  const start = first === -1 ? 0 : text.lastIndexOf(NEWLINE, first) + 1;
  return text.slice(start, start + MAX_SAMPLE_BYTES);
}

/** Where nothing is likely. A text has no zeros. */
function unlikelyEncoding(bytes: Uint8Array): Encoding | null {
  const text = withoutPadding(bytes);
  if (text.includes(0)) return null;
  return isUtf8(text) ? "utf-8" : "windows-1252";
}
