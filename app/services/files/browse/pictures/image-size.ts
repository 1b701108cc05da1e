interface ImageSize {
  width: number;
  height: number;
}

/**
 * The size of an image in pixels, read from its header; null if unknown. A small file may be a huge image, so the size must be known before
 * decoding.
 */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const size = sizeInHeader(bytes);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function sizeInHeader(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    // Safari also reads a PNG that begins with another chunk.
    if (startsWith(bytes, "\x89PNG"))
      return startsWith(bytes, "IHDR", 12) ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
    if (startsWith(bytes, "GIF8")) return gifSize(view);
    if (startsWith(bytes, "BM")) return bmpSize(view);
    if (startsWith(bytes, "\xff\xd8")) return jpegSize(view);
    if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return webpSize(bytes, view);
    // Its header has one byte for a side, and browsers draw no picture in it that is larger.
    if (startsWith(bytes, "\0\0\x01\0")) return { width: 256, height: 256 };
    return startsWith(bytes, "ftyp", 4) ? avifSize(bytes, view) : null;
  } catch {
    // The file is truncated.
    return null;
  }
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

/** Browsers enlarge the picture to its first frame, so the header alone may say less than they draw. */
function gifSize(view: DataView): ImageSize {
  const [width, height] = [view.getUint16(6, true), view.getUint16(8, true)];
  const flags = view.getUint8(10);
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  // An extension has a label, and blocks up to an empty one.
  while (view.getUint8(at) === 0x21)
    for (at += 2; ; ) {
      const length = view.getUint8(at);
      at += 1 + length;
      if (length === 0) break;
    }
  const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
  const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
  return { width: Math.max(width, right), height: Math.max(height, bottom) };
}

/** The oldest of the headers, of 12 bytes, has numbers of two bytes. */
function bmpSize(view: DataView): ImageSize {
  if (view.getUint32(14, true) === 12)
    return { width: view.getUint16(18, true), height: view.getUint16(20, true) };
  return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
}

/**
 * From the first frame header. Decoders skip markers without a length, and bytes between two segments. No camera writes these in a header, but
 * with them, what looks like a frame header here could be a comment there.
 */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    const hasNoLength = marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd9);
    if (hasNoLength) return null;
    // Any number of these bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

function webpSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  const uint24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (startsWith(bytes, "VP8X", 12)) return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (startsWith(bytes, "VP8L", 12)) {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  if (!startsWith(bytes, "VP8 ", 12)) return null;
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/**
 * The largest size that an `ispe` box or the header of a track tells. The image, its tiles and its thumbnail have one each, in any order and
 * at any place of the file. A sequence is as large as its track.
 */
function avifSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  let largest: ImageSize | null = null;
  for (let at = 0; at < bytes.length - 3; at++) {
    const size = avifSizeAt(view, at);
    if (size !== null && size.width * size.height > (largest?.width ?? 0) * (largest?.height ?? 0))
      largest = size;
  }
  return largest;
}

const [ISPE, TKHD] = [0x69737065, 0x746b6864];

function avifSizeAt(view: DataView, at: number): ImageSize | null {
  const type = view.getUint32(at);
  if (type === ISPE) return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
  if (type !== TKHD) return null;
  // Version 1 has longer times. Of a number with 16 bits behind the point, the first half counts.
  const width = at + (view.getUint8(at + 4) === 1 ? 92 : 80);
  return { width: view.getUint16(width), height: view.getUint16(width + 4) };
}
