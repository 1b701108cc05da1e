import { Checksum } from "../checksum";
import {
  centralHeader,
  dataDescriptor,
  endRecords,
  localHeader,
  pack,
  spanOf,
  type ZipEntry,
} from "./zip-format";

/** The central directory is handed on in pieces of so many entries. */
const PIECE = 500;

/**
 * The bytes of the archive of `entries`, as many as `zipLength` says. Of the whole archive it keeps four bytes for each entry.
 * @param read the bytes of the entry with this index, as many as its `size`
 * Rejects, before the archive can look complete, when an entry has another length.
 */
export async function* zipBytes(
  entries: readonly ZipEntry[],
  read: (index: number) => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const checksums = new Uint32Array(entries.length);
  for (const [index, entry] of entries.entries()) {
    yield localHeader(entry);
    if (entry.size === 0) continue;
    const checksum = new Checksum("CRC32");
    let length = 0;
    for await (const chunk of read(index)) {
      length += chunk.length;
      if (length > entry.size) break;
      checksum.update(chunk);
      yield chunk;
    }
    if (length !== entry.size) throw new Error(`An entry of ${entry.size} bytes has ${length}.`);
    const crc = Number(checksum.value);
    checksums[index] = crc;
    yield dataDescriptor(entry, crc);
  }
  yield* directoryBytes(entries, checksums);
}

function* directoryBytes(entries: readonly ZipEntry[], checksums: Uint32Array): Generator<Uint8Array> {
  let offset = 0;
  let directory = 0;
  let piece: Uint8Array[] = [];
  for (const [index, entry] of entries.entries()) {
    const header = centralHeader(entry, checksums[index] ?? 0, offset);
    offset += spanOf(entry);
    directory += header.length;
    if (piece.push(header) < PIECE) continue;
    yield pack(...piece);
    piece = [];
  }
  yield pack(...piece, endRecords(entries.length, offset, directory));
}
