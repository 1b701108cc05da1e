interface ImageSize {
  width: number;
  height: number;
}

/**
 * The size of an image in pixels, read from its header; null if unknown. A small file may be a huge image, so the size must be known before
 * decoding.
 */
export function imageSize(bytes: Uint8Array): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (startsWith(bytes, "\x89PNG")) return { width: view.getUint32(16), height: view.getUint32(20) };
    if (startsWith(bytes, "GIF8")) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (startsWith(bytes, "BM"))
      return { width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
    if (startsWith(bytes, "\xff\xd8")) return jpegSize(view);
    if (startsWith(bytes, "RIFF") && startsWith(bytes, "WEBP", 8)) return webpSize(bytes, view);
    return startsWith(bytes, "ftypavi", 4) ? avifSize(bytes, view) : null;
  } catch {
    // The file is truncated.
    return null;
  }
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0));
}

/** From the first frame header. */
function jpegSize(view: DataView): ImageSize | null {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
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

/** From the first `ispe` box, which encoders write for the whole image. */
function avifSize(bytes: Uint8Array, view: DataView): ImageSize | null {
  const end = Math.min(bytes.length, 4_096);
  for (let at = 0; at < end; at++) {
    if (startsWith(bytes, "ispe", at))
      return { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
  }
  return null;
}
