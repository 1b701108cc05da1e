import { contentFormatOf, RECOGNIZED_BYTES } from "./content-format";
import { knownEncoding } from "./detect-encoding";

/** What is in a ZIP archive of each format, by the beginning of a path. Of OpenDocument and EPUB, it is what `mimetype` says. */
const formatsInZip: [beginning: string, format: string][] = [
  ["word/", "Word"],
  ["xl/", "Excel"],
  ["ppt/", "PowerPoint"],
  ["Index/", "iWork"],
  ["mimetypeapplication/vnd.oasis.opendocument.text", "ODT"],
  ["mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "ODS"],
  ["mimetypeapplication/vnd.oasis.opendocument.presentation", "ODP"],
  ["mimetypeapplication/epub+zip", "EPUB"],
];
/** Before the name of a file in a ZIP archive. APPNOTE 4.3.7 */
const LOCAL_HEADER_BYTES = 30;

/**
 * The format of a file by its content: as `contentFormatOf`, with those that ZIP archives contain, and `text` for what certainly is one.
 * Null if it is not known.
 * @param bytes the first ones; more than `RECOGNIZED_BYTES` are not read
 */
export function recognizeFormat(bytes: Uint8Array): string | null {
  const beginning = bytes.subarray(0, RECOGNIZED_BYTES);
  const format = contentFormatOf(beginning);
  if (format === "ZIP") return formatInZip(beginning) ?? format;
  return format ?? (isText(beginning) ? "text" : null);
}

function formatInZip(bytes: Uint8Array): string | null {
  const files = new TextDecoder("latin1").decode(bytes).split("PK\x03\x04").slice(1);
  for (const file of files) {
    const name = file.slice(LOCAL_HEADER_BYTES - 4);
    const [, format] = formatsInZip.find(([beginning]) => name.startsWith(beginning)) ?? [];
    if (format) return format;
  }
  return null;
}

/** Control characters that are in no text, besides those of pages and terminals. */
const isControl = (byte: number) =>
  byte < 0x07 || (byte > 0x0d && byte < 0x1a) || (byte > 0x1b && byte < 0x20);

function isText(bytes: Uint8Array): boolean {
  const known = knownEncoding(bytes);
  if (bytes.length === 0) return false;
  return (known?.isCertain && known.encoding !== null) || !bytes.some(isControl);
}

/** Why a reader of one format does not show a file that it cannot read: the file is damaged, or has another format. */
export function damagedOrOther(bytes: Uint8Array, format: string): "damaged" | { contentFormat: string } {
  const contentFormat = recognizeFormat(bytes);
  return contentFormat === null || contentFormat === format ? "damaged" : { contentFormat };
}
