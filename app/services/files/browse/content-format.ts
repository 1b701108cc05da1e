/** Formats by their first bytes, at `from`. The names are the same in every language. */
const signatures: { format: string; from?: number; bytes: string }[] = [
  { format: "PDF", bytes: "%PDF-" },
  { format: "RTF", bytes: "{\\rtf" },
  { format: "PNG", bytes: "\x89PNG" },
  { format: "JPEG", bytes: "\xff\xd8\xff" },
  { format: "GIF", bytes: "GIF8" },
  { format: "WebP", from: 8, bytes: "WEBP" },
  { format: "TIFF", bytes: "II*\0" },
  { format: "TIFF", bytes: "MM\0*" },
  { format: "HEIC", from: 4, bytes: "ftyphei" },
  { format: "HEIC", from: 4, bytes: "ftyphev" },
  { format: "HEIC", from: 4, bytes: "ftypmif1" },
  { format: "AVIF", from: 4, bytes: "ftypavi" },
  { format: "QuickTime", from: 4, bytes: "ftypqt" },
  { format: "MP4", from: 4, bytes: "ftyp" },
  { format: "ZIP", bytes: "PK\x03\x04" },
  { format: "RAR", bytes: "Rar!" },
  { format: "7-Zip", bytes: "7z\xbc\xaf\x27\x1c" },
  { format: "gzip", bytes: "\x1f\x8b" },
  { format: "bzip2", bytes: "BZh" },
  { format: "xz", bytes: "\xfd7zXZ" },
  { format: "Photoshop", bytes: "8BPS" },
  { format: "PostScript", bytes: "%!PS" },
  { format: "AVI", from: 8, bytes: "AVI " },
  { format: "AIFF", from: 8, bytes: "AIFF" },
  { format: "Windows Media", bytes: "\x30\x26\xb2\x75\x8e\x66\xcf\x11" },
  { format: "Flash Video", bytes: "FLV\x01" },
  { format: "HTML", bytes: "<!DOCTYPE html" },
  { format: "HTML", bytes: "<html" },
  { format: "XML", bytes: "<?xml" },
  // Playlists: of HLS and of older programs, and two in XML.
  { format: "M3U", bytes: "#EXTM3U" },
  { format: "PLS", bytes: "[playlist]" },
  { format: "ASX", bytes: "<asx" },
  { format: "DASH", bytes: "<MPD" },
  { format: "SMIL", bytes: "<smil" },
];

/** Of a file's first bytes, enough to recognize its format. */
export const RECOGNIZED_BYTES = 65_536;
const blanks: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x20]);

/** The signatures are within so many first bytes. */
export const SIGNATURE_BYTES = 32;
/** Browsers draw these, whatever the name of the file says. */
export const drawableFormats: ReadonlySet<string> = new Set(["PNG", "JPEG", "GIF", "WebP", "AVIF"]);

/**
 * The format of a file's content, whatever its name says; null if it has no mark, as texts have none.
 * @param bytes the first ones; more than `RECOGNIZED_BYTES` are not read
 */
export function contentFormatOf(bytes: Uint8Array): string | null {
  // Readers of texts leave out a mark of UTF-8 and blanks. No other format begins with them.
  const mark = [0xef, 0xbb, 0xbf].every((byte, index) => bytes[index] === byte) ? 3 : 0;
  const at = bytes
    .subarray(0, RECOGNIZED_BYTES)
    .findIndex((byte, index) => index >= mark && !blanks.has(byte));
  if (at === -1) return null;
  const start = String.fromCharCode(...bytes.subarray(at, at + SIGNATURE_BYTES)).toLowerCase();
  return (
    signatures.find(({ from = 0, bytes: mark }) => start.startsWith(mark.toLowerCase(), from))?.format ?? null
  );
}
