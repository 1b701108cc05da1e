import { unzipSync } from "fflate";
import type { Refusal } from "../../browse/run-worker";

export class OfficeProblem extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The file is ${refusal}.`);
  }
}

/** Of all parts that are read. A few kB can unpack to gigabytes. */
export const MAX_UNPACKED_BYTES = 64_000_000;
export const MAX_ENTRIES = 5_000;

/** The compression method of entries that are not compressed. APPNOTE 4.4.5 */
const STORED = 0;

/** The first bytes of the older format, which also contains new files that have a password. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0];
/** The name of what such a file contains then, MS-OFFCRYPTO 1.3.3. */
const encrypted = utf16("EncryptedPackage");

/** The unpacked parts of an office file by their paths. */
export type OfficeParts = Record<string, Uint8Array<ArrayBuffer>>;

/**
 * Office files are zip archives. Returns the wanted parts only, so that the reader can neither unpack more than this function has counted
 * nor see anything else, like macros.
 * @param maxTags of all XML together: a reader needs hundreds of bytes for each
 * @throws OfficeProblem for too many entries, bytes or tags, a password, the older format, or a damaged archive
 */
export function unpackOffice(
  bytes: Uint8Array<ArrayBuffer>,
  isWanted: (path: string) => boolean,
  maxTags: number,
): OfficeParts {
  if (compoundFile.every((byte, index) => bytes[index] === byte))
    throw new OfficeProblem(includes(bytes, encrypted) ? "protected" : "older-format");
  let entries = 0;
  let total = 0;
  try {
    const parts = unzipSync(bytes, {
      // Every compressed entry is unpacked into a buffer of the size that it declares, and what is longer is cut. Of an entry that is only
      // stored, all its bytes are copied, whatever it declares.
      filter: ({ name, compression, size, originalSize }) => {
        if (++entries > MAX_ENTRIES) throw new OfficeProblem("too-complex");
        if (!isWanted(name)) return false;
        total += compression === STORED ? size : originalSize;
        if (total > MAX_UNPACKED_BYTES) throw new OfficeProblem("too-complex");
        return true;
      },
    });
    const xml = Object.entries(parts).filter(([path]) => /\.(xml|rels)$/i.test(path));
    const tags = xml.reduce((sum, [, part]) => sum + countTags(part), 0);
    if (tags > maxTags) throw new OfficeProblem("too-complex");
    return parts as OfficeParts;
  } catch (error) {
    throw asOfficeProblem(error);
  }
}

function utf16(text: string): Uint8Array {
  return Uint8Array.from([...text].flatMap((letter) => [letter.charCodeAt(0), 0]));
}

function includes(bytes: Uint8Array, wanted: Uint8Array): boolean {
  for (let at = bytes.indexOf(wanted[0] ?? 0); at !== -1; at = bytes.indexOf(wanted[0] ?? 0, at + 1))
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return true;
  return false;
}

function countTags(xml: Uint8Array): number {
  const bracket = "<".charCodeAt(0);
  let tags = 0;
  for (let at = xml.indexOf(bracket); at !== -1; at = xml.indexOf(bracket, at + 1)) tags++;
  return tags;
}

/** What a failed reader means: its own limits and the stack's throw RangeErrors. */
export function asOfficeProblem(error: unknown): OfficeProblem {
  if (error instanceof OfficeProblem) return error;
  return new OfficeProblem(error instanceof RangeError ? "too-complex" : "damaged");
}
