/** Reads zip archives with a library that shares no code with our zip writer and checks sizes and checksums. */
import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { openPromise, type ZipFile } from "yauzl";

// For the tests of the engine, whose package does not depend on it.
export { fromBufferPromise, fromRandomAccessReaderPromise, RandomAccessReader } from "yauzl";

export interface UnzippedEntry {
  name: string;
  /** bytes */
  size: number;
  /** of the entry's bytes; for a folder, of no bytes */
  sha256: string;
  /** in UTC if the archive has UTC times */
  modified: Date;
  /** Unix permissions and type */
  mode: number;
}

/** Reads every entry of the archive at `path` to its end. Rejects if the archive is invalid or incomplete. */
export async function unzip(path: string): Promise<UnzippedEntry[]> {
  return readEntries(await openPromise(path, { autoClose: false, strictFileNames: true }));
}

/** Reads every entry of an archive. @param hashed whether to read and hash an entry's bytes */
export async function readEntries(
  archive: ZipFile,
  hashed: (name: string) => boolean = () => true,
): Promise<UnzippedEntry[]> {
  const entries: UnzippedEntry[] = [];
  try {
    for await (const entry of archive.eachEntry()) {
      const hash = createHash("sha256");
      if (hashed(entry.fileName)) {
        for await (const chunk of await archive.openReadStreamPromise(entry)) hash.update(chunk);
      }
      entries.push({
        name: entry.fileName,
        size: entry.uncompressedSize,
        sha256: hash.digest("hex"),
        modified: entry.getLastModDate(),
        mode: entry.externalFileAttributes >>> 16,
      });
    }
    return entries;
  } finally {
    archive.close();
  }
}

/** The texts of the files in the archive at `path`, by their names. */
export async function textsIn(path: string): Promise<Record<string, string>> {
  const archive = await openPromise(path, { autoClose: false, strictFileNames: true });
  const texts: Record<string, string> = {};
  try {
    for await (const entry of archive.eachEntry()) {
      if (!entry.fileName.endsWith("/"))
        texts[entry.fileName] = await text(await archive.openReadStreamPromise(entry));
    }
    return texts;
  } finally {
    archive.close();
  }
}

export const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex");
