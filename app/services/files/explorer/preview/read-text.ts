export interface TextFile {
  text: string;
  /** only the beginning was read */
  cut: boolean;
}

/** The text in the first bytes of a file, UTF-8 unless a byte order mark says UTF-16; null when it is no text. */
export function decodeText(bytes: Uint8Array, cut: boolean): TextFile | null {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  // `stream` leaves out a character that the cut has torn apart.
  const text = new TextDecoder(encoding).decode(bytes, { stream: cut });
  return text.includes("\0") ? null : { text, cut };
}
