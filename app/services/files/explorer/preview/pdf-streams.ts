import { Unzlib } from "fflate";

/** Counts what the streams of a PDF unpack to: PDF.js unpacks them into memory, and a few kB can become gigabytes. */

/** Of one stream: the largest drawings have a third of this. An image has its pixels in it. */
export const MAX_STREAM_BYTES = 64_000_000;
export const MAX_IMAGE_STREAM_BYTES = 256_000_000;
/** Of all streams together. */
export const MAX_ALL_STREAMS_BYTES = 500_000_000;

/** Streams may be encoded several times. */
const MAX_TIMES_ENCODED = 6;
/** By so many bytes, a stream shows how it is encoded. */
const MAX_BEGINNING_BYTES = 64;
/** A piece of this length becomes 4 MB at most before it is counted. */
const PIECE_BYTES = 4_096;
/** The dictionary before a stream is looked at so far back. */
const MAX_DICTIONARY_BYTES = 2_000;

/** After so many pieces that unpack to nothing, the compressed bytes have ended. */
const MAX_SILENT_PIECES = 16;

/**
 * Whether a PDF unpacks to more than PDF.js is given. Counted are streams in Flate, as nearly all writers make them, also if they are written
 * in ASCII; not those in LZW, or of encrypted files.
 */
export function unpacksTooFar(pdf: Uint8Array): boolean {
  let total = 0;
  for (let at = findStream(pdf, 0); at !== -1; at = findStream(pdf, at)) {
    const decoder = decoderOf(pdf.subarray(at, at + MAX_BEGINNING_BYTES));
    if (decoder === null) continue;
    const most = isImage(pdf, at) ? MAX_IMAGE_STREAM_BYTES : MAX_STREAM_BYTES;
    const limit = Math.min(most, MAX_ALL_STREAMS_BYTES - total);
    const stream = new UnpackedStream(decoder, limit, MAX_TIMES_ENCODED);
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

type Receive = (chunk: Uint8Array) => void;
/** Makes what decodes bytes piece by piece. */
type Decoder = (receive: Receive) => { push(chunk: Uint8Array): void };

const flate: Decoder = (receive) => new Unzlib(receive);

/** What decodes a stream that begins so; null if it is not compressed, and not ASCII for what is. */
function decoderOf(beginning: Uint8Array): Decoder | null {
  if (isDeflated(beginning)) return flate;
  const isOfCompressed = (decoder: Decoder) => {
    const decoded: number[] = [];
    decoder((chunk) => decoded.push(...chunk)).push(beginning);
    // ASCII becomes shorter each time, so this ends.
    return decoded.length < beginning.length && decoderOf(Uint8Array.from(decoded)) !== null;
  };
  return [hexadecimal, base85].find(isOfCompressed) ?? null;
}

/** ISO 32000-2, section 7.4.2 */
function hexadecimal(receive: Receive) {
  let first: number | null = null;
  let isOver = false;
  return {
    push(chunk: Uint8Array) {
      const decoded: number[] = [];
      for (const byte of isOver ? [] : chunk) {
        isOver = byte === 0x3e;
        if (isOver) break;
        const digit = digitOf(byte);
        if (digit === null) continue;
        if (first !== null) decoded.push(first * 16 + digit);
        first = first === null ? digit : null;
      }
      receive(Uint8Array.from(decoded));
    },
  };
}

function digitOf(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : null;
}

/** Five characters are four bytes. ISO 32000-2, section 7.4.3 */
function base85(receive: Receive) {
  let group: number[] = [];
  let isOver = false;
  return {
    push(chunk: Uint8Array) {
      const decoded: number[] = [];
      for (const byte of isOver ? [] : chunk) {
        isOver = byte === 0x7e;
        if (isOver) break;
        if (byte === 0x7a && group.length === 0) decoded.push(0, 0, 0, 0);
        else if (byte >= 0x21 && byte <= 0x75) group.push(byte - 0x21);
        if (group.length < 5) continue;
        const value = group.reduce((sum, digit) => sum * 85 + digit, 0);
        decoded.push(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
        group = [];
      }
      receive(Uint8Array.from(decoded));
    },
  };
}

/** Decodes bytes, as often as they are encoded, and keeps only their length. */
class UnpackedStream {
  /** of what they are unpacked to; a little over the limit at most */
  #length = 0;
  /** the first bytes of that, until it is known whether they are encoded again */
  #beginning: Uint8Array = new Uint8Array();
  #inner: UnpackedStream | null = null;
  #silent = 0;
  #isDone = false;
  readonly #unpack: ReturnType<Decoder>;

  constructor(
    decoder: Decoder,
    private readonly limit: number,
    private readonly times: number,
  ) {
    this.#unpack = decoder((chunk) => this.#receive(chunk));
  }

  /** The largest length that they have on the way. */
  get length(): number {
    return Math.max(this.#length, this.#inner?.length ?? 0);
  }

  /** @param packed may go on after the end of the encoded bytes */
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
    const missing = MAX_BEGINNING_BYTES - this.#beginning.length;
    if (this.#inner !== null || missing <= 0 || this.times <= 1) return;
    this.#beginning = Uint8Array.of(...this.#beginning, ...chunk.subarray(0, missing));
    const decoder = decoderOf(this.#beginning);
    if (decoder === null) return;
    this.#inner = new UnpackedStream(decoder, this.limit, this.times - 1);
    this.#inner.push(this.#beginning);
    this.#inner.push(chunk.subarray(missing));
  }
}
