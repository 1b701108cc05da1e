/**
 * Whether a JPEG ends before its end marker. Browsers draw what there is, and the rest in grey. False for other files.
 * @see ITU-T T.81, B.1.1
 */
export function isCutJpeg(bytes: Uint8Array): boolean {
  if (bytes[0] !== MARKER || bytes[1] !== START) return false;
  let at = 2;
  while (at + 1 < bytes.length) {
    const marker = bytes[at + 1] as number;
    // Any number of these bytes may stand before a marker.
    if (bytes[at] !== MARKER || marker === MARKER) at++;
    else if (marker === END) return false;
    else if (hasNoLength(marker)) at += 2;
    // A segment may contain a picture with an end of its own.
    else at += 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
  }
  return true;
}

const MARKER = 0xff;
const START = 0xd8;
const END = 0xd9;
/** Among the pixels: a byte that only looks like a marker, and markers to start again from. */
const hasNoLength = (marker: number) => marker <= 0x01 || (marker >= 0xd0 && marker <= START);
