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
/** A piece of this length becomes 14 MB at most before it is counted. */
const PIECE_BYTES = 4_096;
/** The dictionary before a stream is looked at so far back. */
const MAX_DICTIONARY_BYTES = 2_000;

/** After so many pieces that unpack to nothing, the compressed bytes have ended. */
const MAX_SILENT_PIECES = 16;

/**
 * Whether a PDF unpacks to more than PDF.js is given. Counted are streams in Flate, LZW and run lengths, also if they are written in ASCII.
 * Not counted are those of encrypted files: what they unpack to shows only when they are decrypted, which PDF.js does itself. They are
 * bounded by time alone, and end when the preview is closed.
 */
export function unpacksTooFar(pdf: Uint8Array): boolean {
  if (brotliName.test(new TextDecoder("latin1").decode(pdf))) return true;
  let total = 0;
  for (const { keyword, start } of findStreams(pdf)) {
    const dictionary = dictionaryBefore(pdf, keyword);
    const encoding = encodingOf(pdf.subarray(start, start + MAX_BEGINNING_BYTES), namedDecoders(dictionary));
    if (encoding === null) continue;
    const most = /\/Subtype\s*\/Image\b/.test(dictionary) ? MAX_IMAGE_STREAM_BYTES : MAX_STREAM_BYTES;
    const limit = Math.min(most, MAX_ALL_STREAMS_BYTES - total);
    const stream = new UnpackedStream(encoding, limit, MAX_TIMES_ENCODED);
    stream.push(pdf.subarray(start));
    if (stream.length > limit) return true;
    total += stream.length;
  }
  return false;
}

/** PDF.js unpacks Brotli in one call, and nothing here can. Wherever the name is, a dictionary may refer to it. Any letter may be written as `#42`. */
const brotliName = new RegExp(
  `/${Array.from("BrotliDecode", (letter) => `(?:${letter}|#${letter.charCodeAt(0).toString(16)})`).join("")}`,
  "i",
);

const keywordBytes = Array.from("stream", (letter) => letter.charCodeAt(0));

/**
 * The streams: where the keyword is that the dictionary stands before, and where the bytes begin. As PDF.js reads them, that is on the next line,
 * whatever follows the keyword on its own.
 */
function* findStreams(pdf: Uint8Array): Generator<{ keyword: number; start: number }> {
  let lineEnd = -1;
  for (let at = pdf.indexOf(0x73); at !== -1; at = pdf.indexOf(0x73, at + 1)) {
    if (!keywordBytes.every((byte, index) => pdf[at + index] === byte)) continue;
    // Not `endstream`.
    if (pdf[at - 1] === 0x64) continue;
    // Keywords of one line have the same end.
    lineEnd = Math.max(lineEnd, at + keywordBytes.length);
    while (lineEnd < pdf.length && pdf[lineEnd] !== 0x0d && pdf[lineEnd] !== 0x0a) lineEnd++;
    yield { keyword: at, start: lineEnd + (pdf[lineEnd] === 0x0d && pdf[lineEnd + 1] === 0x0a ? 2 : 1) };
  }
}

/** The dictionary before a keyword, with its names as they are read: `#4c` is `L`. ISO 32000-2, section 7.3.5 */
function dictionaryBefore(pdf: Uint8Array, keyword: number): string {
  const before = new TextDecoder("latin1").decode(
    pdf.subarray(Math.max(keyword - MAX_DICTIONARY_BYTES, 0), keyword),
  );
  return before
    .slice(before.lastIndexOf(" obj") + 1)
    .replace(/#([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Whether bytes begin as zlib's do. RFC 1950, section 2.2 */
const isDeflated = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;

type Receive = (chunk: Uint8Array) => void;
/** Makes what decodes bytes piece by piece. */
type Decoder = (receive: Receive) => { push(chunk: Uint8Array): void };

const flate: Decoder = (receive) => new Unzlib(receive);

/** How bytes are encoded: what decodes them, and what decodes the result, as the dictionary says. */
interface Encoding {
  decoder: Decoder;
  inner: readonly Decoder[];
}

/**
 * How bytes are encoded that begin so; null if they are not compressed, and not ASCII for what is.
 * @param named of `namedDecoders`, those that are left
 */
function encodingOf(beginning: Uint8Array, named: readonly Decoder[]): Encoding | null {
  if (isDeflated(beginning)) return { decoder: flate, inner: named };
  const [decoder, ...inner] = named;
  if (decoder) return { decoder, inner };
  const isOfCompressed = (decoder: Decoder) => {
    const decoded: number[] = [];
    decoder((chunk) => decoded.push(...chunk)).push(beginning);
    // ASCII becomes shorter each time, so this ends.
    return decoded.length < beginning.length && encodingOf(Uint8Array.from(decoded), []) !== null;
  };
  const ascii = [hexadecimal, base85].find(isOfCompressed);
  return ascii ? { decoder: ascii, inner: [] } : null;
}

/**
 * The decoders that a dictionary names besides Flate, in their order; none if it has neither LZW nor run lengths. Those two do not show in
 * the bytes, as Flate and ASCII do.
 */
function namedDecoders(dictionary: string): Decoder[] {
  const lzw = lzwDecoder(/\/EarlyChange\s+0\b/.test(dictionary) ? 0 : 1);
  const decoders: [RegExp, Decoder][] = [
    [/^(ASCIIHexDecode|AHx)$/, hexadecimal],
    [/^(ASCII85Decode|A85)$/, base85],
    [/^(LZWDecode|LZW)$/, lzw],
    [/^(RunLengthDecode|RL)$/, runLengths],
  ];
  const named = [...dictionary.matchAll(/\/(\w+)/g)].flatMap(([, name = ""]) =>
    decoders.flatMap(([pattern, decoder]) => (pattern.test(name) ? [decoder] : [])),
  );
  return named.includes(lzw) || named.includes(runLengths) ? named : [];
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

/** Bytes that are passed on together. */
const BUFFER_BYTES = 65_536;
const LZW_CODES = 4_096;
const LZW_CLEAR = 256;
const LZW_END = 257;

/** ISO 32000-2, section 7.4.4; as PDF.js reads it, also if it is damaged. @param earlyChange codes become longer one code early */
function lzwDecoder(earlyChange: 0 | 1): Decoder {
  return (receive) => {
    /** of the sequence of each code: its length, its last byte, and the code of what is before that */
    const lengths = new Uint16Array(LZW_CODES).fill(1, 0, LZW_CLEAR);
    const lastBytes = Uint8Array.from({ length: LZW_CODES }, (_, code) => code);
    const prefixes = new Uint16Array(LZW_CODES);
    const sequence = new Uint8Array(LZW_CODES);
    let length = 0;
    let previous = 0;
    let next = LZW_END + 1;
    let width = 9;
    let bits = 0;
    let bitCount = 0;
    let isOver = false;
    const read = (code: number) => {
      const hasPrevious = length > 0;
      if (code >= next && code > LZW_END) sequence[length++] = sequence[0] ?? 0;
      else {
        length = lengths[code] ?? 0;
        for (let at = length - 1, of = code; at >= 0; at--, of = prefixes[of] ?? 0)
          sequence[at] = lastBytes[of] ?? 0;
      }
      if (hasPrevious && next < LZW_CODES) {
        prefixes[next] = previous;
        lengths[next] = (lengths[previous] ?? 0) + 1;
        lastBytes[next] = sequence[0] ?? 0;
        next++;
        if (next + earlyChange >= 2 ** width && width < 12) width++;
      }
      previous = code;
    };
    const clear = () => {
      length = 0;
      next = LZW_END + 1;
      width = 9;
    };
    return {
      push(chunk: Uint8Array) {
        const buffer = new Uint8Array(BUFFER_BYTES + LZW_CODES);
        let filled = 0;
        const flush = () => {
          receive(buffer.slice(0, filled));
          filled = 0;
        };
        for (const byte of chunk) {
          bits = ((bits << 8) | byte) & 0xfffff;
          bitCount += 8;
          if (bitCount < width || isOver) continue;
          bitCount -= width;
          const code = (bits >>> bitCount) & (2 ** width - 1);
          isOver = code === LZW_END;
          if (isOver) break;
          if (code === LZW_CLEAR) {
            clear();
            continue;
          }
          read(code);
          buffer.set(sequence.subarray(0, length), filled);
          filled += length;
          if (filled >= BUFFER_BYTES) flush();
        }
        flush();
      },
    };
  };
}

/** A length, and so many bytes or one that is repeated. ISO 32000-2, section 7.4.5 */
function runLengths(receive: Receive) {
  let length: number | null = null;
  let isOver = false;
  return {
    push(chunk: Uint8Array) {
      for (let at = 0; at < chunk.length && !isOver; ) {
        if (length === null) {
          length = chunk[at++] ?? 0;
          isOver = length === 128;
        } else if (length > 128) {
          receive(new Uint8Array(257 - length).fill(chunk[at++] ?? 0));
          length = null;
        } else {
          const bytes = chunk.subarray(at, at + length + 1);
          receive(bytes);
          at += bytes.length;
          length = bytes.length > length ? null : length - bytes.length;
        }
      }
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
    private readonly encoding: Encoding,
    private readonly limit: number,
    private readonly times: number,
  ) {
    this.#unpack = encoding.decoder((chunk) => this.#receive(chunk));
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
    const encoding = encodingOf(this.#beginning, this.encoding.inner);
    if (encoding === null) return;
    this.#inner = new UnpackedStream(encoding, this.limit, this.times - 1);
    this.#inner.push(this.#beginning);
    this.#inner.push(chunk.subarray(missing));
  }
}
