/** Counts what the streams of a PDF unpack to: PDF.js unpacks them into memory, and a few kB can become gigabytes. */

/** Of one stream: the largest drawings have a third of this. An image has its pixels in it. */
export const MAX_STREAM_BYTES = 64_000_000;
export const MAX_IMAGE_STREAM_BYTES = 256_000_000;
/** Of all streams together. */
export const MAX_ALL_STREAMS_BYTES = 1_000_000_000;

/** Streams may be compressed several times. */
const MAX_TIMES_COMPRESSED = 4;
/** A piece of this length becomes 4 MB at most before it is counted. */
const PIECE_BYTES = 4_096;
/** The dictionary before a stream is looked at so far back. */
const MAX_DICTIONARY_BYTES = 2_000;

/**
 * Whether a PDF unpacks to more than PDF.js is given. Counted are streams in Flate, as nearly all writers make them; not those in LZW or ASCII,
 * or of encrypted files.
 */
export async function unpacksTooFar(pdf: Uint8Array<ArrayBuffer>): Promise<boolean> {
  let total = 0;
  for (let at = findStream(pdf, 0); at !== -1; at = findStream(pdf, at)) {
    const most = isImage(pdf, at) ? MAX_IMAGE_STREAM_BYTES : MAX_STREAM_BYTES;
    const limit = Math.min(most, MAX_ALL_STREAMS_BYTES - total);
    const length = await unpackedLength(pieces(pdf, at), limit, MAX_TIMES_COMPRESSED);
    if (length > limit) return true;
    total += length;
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

async function* pieces(pdf: Uint8Array<ArrayBuffer>, start: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = start; at < pdf.length; at += PIECE_BYTES) yield pdf.subarray(at, at + PIECE_BYTES);
}

/** Bytes after unpacking, as often as they are compressed; 0 if they are not. Counts no further than a little over `limit`. */
async function unpackedLength(
  packed: AsyncGenerator<Uint8Array<ArrayBuffer>>,
  limit: number,
  times: number,
): Promise<number> {
  const first = (await packed.next()).value;
  if (!first || times === 0 || !isDeflated(first)) return 0;
  let length = 0;
  async function* counted(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for await (const piece of inflate(first as Uint8Array<ArrayBuffer>, packed)) {
      length += piece.length;
      yield piece;
      if (length > limit) return;
    }
  }
  const unpacked = counted();
  const inner = await unpackedLength(unpacked, limit, times - 1);
  // What is not compressed again has not been read to its end.
  for await (const _ of unpacked);
  return Math.max(length, inner);
}

/** Whether bytes begin as zlib's do. RFC 1950, section 2.2 */
const isDeflated = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;

/** Yields what unpacks, up to damage or to the end of the compressed bytes. */
async function* inflate(
  first: Uint8Array<ArrayBuffer>,
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  const reader = readable.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  const write = async (bytes: Uint8Array<ArrayBuffer>) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES)
      await writer.write(bytes.subarray(at, at + PIECE_BYTES));
  };
  const feed = async () => {
    await write(first);
    for await (const piece of rest) await write(piece);
    await writer.close();
  };
  const feeding = feed().catch(() => {});
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch {
    // Other bytes follow, or these are damaged.
  } finally {
    await reader.cancel().catch(() => {});
    await writer.abort().catch(() => {});
    await feeding;
  }
}
