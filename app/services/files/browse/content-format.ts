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
  { format: "HTML", bytes: "<!DOCTYPE html" },
  { format: "HTML", bytes: "<html" },
];

/** The signatures are within so many first bytes. */
export const SIGNATURE_BYTES = 32;
/** Browsers draw these, whatever the name of the file says. */
export const drawableFormats: ReadonlySet<string> = new Set(["PNG", "JPEG", "GIF", "WebP", "AVIF"]);

/** The format of a file's content, whatever its name says; null if it has no mark, as texts have none. */
export function contentFormatOf(bytes: Uint8Array): string | null {
  const start = String.fromCharCode(...bytes.subarray(0, SIGNATURE_BYTES)).toLowerCase();
  return (
    signatures.find(({ from = 0, bytes: mark }) => start.startsWith(mark.toLowerCase(), from))?.format ?? null
  );
}
