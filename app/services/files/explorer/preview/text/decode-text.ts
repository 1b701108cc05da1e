import { detectEncoding } from "./detect-encoding";
import type { Encoding } from "./encodings";

export interface TextFile {
  text: string;
  encoding: Encoding;
  /** only the beginning was read */
  cut: boolean;
}

/**
 * The text in the first bytes of a file; null when it is no text.
 * @param chosen the encoding that a person wants it read in; null for the one that it looks like
 */
export function decodeText(bytes: Uint8Array, cut: boolean, chosen: Encoding | null = null): TextFile | null {
  const encoding = chosen ?? detectEncoding(bytes);
  // `stream` leaves out a character that the cut has torn apart.
  const text = new TextDecoder(encoding).decode(bytes, { stream: cut });
  return chosen === null && text.includes("\0") ? null : { text, encoding, cut };
}
