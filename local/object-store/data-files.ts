import { createHash, randomBytes } from "node:crypto";
import { createReadStream, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";

/** Some bytes of an object: all of them, or those of one part of an upload. */
export interface Piece {
  /** name of the file that holds them */
  file: string;
  /** bytes */
  size: number;
}

/** Inclusive positions of the first and the last byte. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The files of one bucket that hold bytes. A file is written once, under a name of its own, and never changed. */
export class DataFiles {
  /** how many streams are reading a file */
  private readonly readers = new Map<string, number>();
  private readonly discarded = new Set<string>();

  constructor(private readonly folder: string) {}

  /** A name for new bytes, to be written to `path(name)`. */
  newName(key: string): string {
    return `${fileName(key)}.${randomBytes(8).toString("hex")}.data`;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** The bytes of the pieces, or a range of them; good to its end though they be discarded meanwhile. */
  read(pieces: Piece[], range?: ByteRange): Readable {
    for (const { file } of pieces) this.readers.set(file, (this.readers.get(file) ?? 0) + 1);
    const stream = Readable.from(this.readPieces(pieces, range), { objectMode: false });
    stream.once("close", () => this.release(pieces));
    return stream;
  }

  /** Removes files that nothing names, once nobody reads them. Should it fail, the next start does it. */
  discard(pieces: Piece[]): void {
    for (const { file } of pieces) {
      if (this.readers.has(file)) this.discarded.add(file);
      else rm(this.path(file), { force: true }).catch(() => undefined);
    }
  }

  /** Removes what a process left behind that was killed between writing bytes and naming them. */
  sweep(inUse: Piece[]): void {
    const names = new Set(inUse.map(({ file }) => file));
    for (const file of readdirSync(this.folder)) {
      if (!file.endsWith(".json") && !names.has(file)) rmSync(join(this.folder, file));
    }
  }

  private async *readPieces(pieces: Piece[], range?: ByteRange): AsyncGenerator<Buffer> {
    let offset = 0;
    for (const { file, size } of pieces) {
      const start = Math.max(0, (range?.start ?? 0) - offset);
      const end = Math.min(size - 1, (range?.end ?? Number.POSITIVE_INFINITY) - offset);
      if (start <= end) yield* createReadStream(this.path(file), { start, end });
      offset += size;
    }
  }

  private release(pieces: Piece[]): void {
    for (const { file } of pieces) {
      const left = (this.readers.get(file) ?? 0) - 1;
      if (left > 0) this.readers.set(file, left);
      else {
        this.readers.delete(file);
        if (this.discarded.delete(file)) this.discard([{ file, size: 0 }]);
      }
    }
  }
}

export function fileName(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** Renaming is the one moment at which the file changes: killed at any point, it holds the old content or the new. */
export function writeWhole(path: string, content: object): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, JSON.stringify(content));
  renameSync(temporary, path);
}
