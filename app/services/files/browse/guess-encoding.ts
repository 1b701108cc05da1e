import { detect } from "jschardet";
import { type Encoding, encodingsByScript } from "./decode-text";

const encodings = Object.values(encodingsByScript).flatMap((group) => Object.keys(group)) as Encoding[];
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const byPlainName = new Map(encodings.map((encoding) => [plain(encoding), encoding]));
/** What jschardet calls otherwise. */
const otherNames: Record<string, Encoding> = {
  ascii: "utf-8",
  cp850: "ibm850",
  cp866: "ibm866",
  cp874: "windows-874",
  macroman: "macintosh",
  maccyrillic: "x-mac-cyrillic",
};

/** The most likely encoding of a text, by what its letters are in each; null if it looks like no text. */
export function guessEncoding(bytes: Uint8Array): Encoding | null {
  const { encoding } = detect(bytes, { detectEncodings: encodings });
  if (encoding === null) return null;
  const name = plain(encoding);
  return byPlainName.get(name) ?? otherNames[name] ?? null;
}
