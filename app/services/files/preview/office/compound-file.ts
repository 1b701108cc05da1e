import { extensionOf } from "../../browse/file-kind";
import type { Refusal } from "../../browse/run-worker";

/** Programs of the years up to 2003, by the stream that their files have. */
const programs: [stream: string, program: string][] = [
  ["Workbook", "Excel"],
  ["Book", "Excel"],
  ["WordDocument", "Word"],
  ["PowerPoint Document", "PowerPoint"],
  ["VisioDocument", "Visio"],
];
/** The stream that tells may lie far back in a long file. */
const programByExtension = new Map([
  ["doc", "Word"],
  ["dot", "Word"],
  ["xls", "Excel"],
  ["xlt", "Excel"],
  ["ppt", "PowerPoint"],
  ["pps", "PowerPoint"],
  ["vsd", "Visio"],
]);

const mark = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/**
 * Why a compound file is not shown; null if it is none. Office programs wrote such files until 2003, and today they put into one what is
 * encrypted with a password. MS-CFB, MS-OFFCRYPTO 1.3.3
 * @param name of the file
 */
export function refusalOfCompoundFile(bytes: Uint8Array, name = ""): Refusal | null {
  if (!mark.every((byte, index) => bytes[index] === byte)) return null;
  if (hasEntry(bytes, "EncryptedPackage")) return "protected";
  const [, program = programByExtension.get(extensionOf(name)) ?? "Microsoft Office"] =
    programs.find(([stream]) => hasEntry(bytes, stream)) ?? [];
  return { olderFormatOf: program };
}

/** Of an entry of the directory. Sectors have a multiple of it. MS-CFB 2.6.1 */
const ENTRY_BYTES = 128;
const NAME_LENGTH_AT = 64;

/** Whether the directory has an entry of this name. Texts in the file may have the name, too, but not as an entry. */
function hasEntry(bytes: Uint8Array, name: string): boolean {
  const encoded = [...name, "\0"].flatMap((letter) => [letter.charCodeAt(0), 0]);
  for (let at = 0; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES)
    if (
      bytes[at + NAME_LENGTH_AT] === encoded.length &&
      bytes[at + NAME_LENGTH_AT + 1] === 0 &&
      encoded.every((byte, index) => bytes[at + index] === byte)
    )
      return true;
  return false;
}
