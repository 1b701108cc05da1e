import { unzipSync } from "fflate";
import { contentFormatOf } from "../../browse/content-format";
import type { Refusal } from "../../browse/run-worker";
import { refusalOfCompoundFile } from "./compound-file";

export class OfficeProblem extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The file is not shown: ${JSON.stringify(refusal)}.`);
  }
}

/** Of all parts that are read. A few kB can unpack to gigabytes. */
export const MAX_UNPACKED_BYTES = 64_000_000;
export const MAX_ENTRIES = 5_000;

/** The compression method of entries that are not compressed. APPNOTE 4.4.5 */
const STORED = 0;

/** The unpacked parts of an office file by their paths. */
export type OfficeParts = Record<string, Uint8Array<ArrayBuffer>>;

/**
 * Office files are zip archives. Returns the wanted parts only, so that the reader can neither unpack more than this function has counted
 * nor see anything else, like macros.
 * @param maxTags of all XML together: a reader needs hundreds of bytes for each. As many attributes and references such as `&lt;` are allowed
 * @throws OfficeProblem for too many entries, bytes, tags, attributes or references, a password, another format, or a damaged archive
 */
export function unpackOffice(
  bytes: Uint8Array<ArrayBuffer>,
  isWanted: (path: string) => boolean,
  maxTags: number,
): OfficeParts {
  const other = refusalOfCompoundFile(bytes) ?? refusalOfOtherFormat(bytes);
  if (other) throw new OfficeProblem(other);
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
    for (const character of "<=&\r")
      if (xml.reduce((sum, [, part]) => sum + countOf(character, part), 0) > maxTags)
        throw new OfficeProblem("too-complex");
    return parts as OfficeParts;
  } catch (error) {
    throw asOfficeProblem(error);
  }
}

function refusalOfOtherFormat(bytes: Uint8Array): Refusal | null {
  const contentFormat = contentFormatOf(bytes);
  return contentFormat === null || contentFormat === "ZIP" ? null : { contentFormat };
}

function countOf(character: string, xml: Uint8Array): number {
  const byte = character.charCodeAt(0);
  let count = 0;
  for (let at = xml.indexOf(byte); at !== -1; at = xml.indexOf(byte, at + 1)) count++;
  return count;
}

/** What a failed reader means: its own limits and the stack's throw RangeErrors. */
export function asOfficeProblem(error: unknown): OfficeProblem {
  if (error instanceof OfficeProblem) return error;
  return new OfficeProblem(error instanceof RangeError ? "too-complex" : "damaged");
}
