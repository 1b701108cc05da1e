import { Unzlib } from "fflate";

/** Counts what the streams of a PDF unpack to: PDF.js unpacks them into memory, and a few kB can become gigabytes. */

/** Of one stream: the largest drawings have a third of this. An image has its pixels in it. */
export const MAX_STREAM_BYTES = 64_000_000;
export const MAX_IMAGE_STREAM_BYTES = 256_000_000;
/** Of all streams together. */
export const MAX_ALL_STREAMS_BYTES = 500_000_000;

/** Streams may be compressed several times. */
const MAX_TIMES_COMPRESSED = 4;
/** A piece of this length becomes 4 MB at most before it is counted. */
const PIECE_BYTES = 4_096;
/** The dictionary before a stream is looked at so far back. */
const MAX_DICTIONARY_BYTES = 2_000;

/** After so many pieces that unpack to nothing, the compressed bytes have ended. */
const MAX_SILENT_PIECES = 16;

/**
 * Whether a PDF unpacks to more than PDF.js is given. Counted are streams in Flate, as nearly all writers make them; not those in LZW or ASCII,
 * or of encrypted files.
 */
export function unpacksTooFar(pdf: Uint8Array): boolean {
  let total = 0;
  for (let at = findStream(pdf, 0); at !== -1; at = findStream(pdf, at)) {
    if (!isDeflated(pdf.subarray(at, at + 2))) continue;
    const most = isImage(pdf, at) ? MAX_IMAGE_STREAM_BYTES : MAX_STREAM_BYTES;
    const limit = Math.min(most, MAX_ALL_STREAMS_BYTES - total);
    const stream = new UnpackedStream(limit, MAX_TIMES_COMPRESSED);
    stream.push(pdf.subarray(at));
    if (stream.length > limit) return true;
    total += stream.length;
  }
  return false;
}

const keyword = Array.from("stream", (letter) => letter.charCodeAt(0));

/** The first byte of the next stream; -1 if there is none. */
function findStream(pdf: Uint8Array, from: number): number {
  for (let at = pdf.indexOf(0x73, from); at !== -1; at = pdf.indexOf(0x73, at + 1)) {
    if (!keyword.every((byte, index) => pdf[at + index] === byte)) continue;
    // Not `endstream`.
    if (pdf[at - 1] === 0x64) continue;
    let start = at + keyword.length;
    if (pdf[start] === 0x0d) start++;
    if (pdf[start] === 0x0a) start++;
    return start;
  }
  return -1;
}

function isImage(pdf: Uint8Array, start: number): boolean {
  const before = new TextDecoder("latin1").decode(
    pdf.subarray(Math.max(start - MAX_DICTIONARY_BYTES, 0), start),
  );
  return /\/Subtype\s*\/Image\b/.test(before.slice(before.lastIndexOf(" obj") + 1));
}

/** Whether bytes begin as zlib's do. RFC 1950, section 2.2 */
const isDeflated = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;

/** Unpacks compressed bytes, as often as they are compressed, and keeps only their length. */
class UnpackedStream {
  /** of what they are unpacked to; a little over the limit at most */
  #length = 0;
  /** the first bytes of that, until it is known whether they are compressed again */
  #beginning: Uint8Array = new Uint8Array();
  #inner: UnpackedStream | null = null;
  #silent = 0;
  #isDone = false;
  readonly #unpack = new Unzlib((chunk) => this.#receive(chunk));

  constructor(
    private readonly limit: number,
    private readonly times: number,
  ) {}

  /** The largest length that they have on the way. */
  get length(): number {
    return Math.max(this.#length, this.#inner?.length ?? 0);
  }

  /** @param packed may go on after the end of the compressed bytes */
  push(packed: Uint8Array): void {
    for (let at = 0; at < packed.length && !this.#isDone; at += PIECE_BYTES) {
      const before = this.#length;
      try {
        this.#unpack.push(packed.subarray(at, at + PIECE_BYTES));
      } catch {
        // They are damaged. PDF.js shows what is before.
        this.#isDone = true;
      }
      this.#silent = this.#length > before ? 0 : this.#silent + 1;
      if (this.#silent > MAX_SILENT_PIECES || this.length > this.limit) this.#isDone = true;
    }
  }

  #receive(chunk: Uint8Array): void {
    this.#length += chunk.length;
    this.#inner?.push(chunk);
    const missing = 2 - this.#beginning.length;
    if (missing <= 0) return;
    this.#beginning = Uint8Array.of(...this.#beginning, ...chunk.subarray(0, missing));
    if (this.#beginning.length < 2 || this.times <= 1 || !isDeflated(this.#beginning)) return;
    this.#inner = new UnpackedStream(this.limit, this.times - 1);
    this.#inner.push(this.#beginning);
    this.#inner.push(chunk.subarray(missing));
  }
}
