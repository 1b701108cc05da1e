import { createHash, randomBytes } from "node:crypto";
import { createReadStream, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";

/** A file with bytes of an object: all of them, or those of one part of its upload. */
export interface Piece {
  file: string;
  /** bytes */
  size: number;
}

/** Positions of the first and the last byte, both inclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

/** The files with the bytes of one bucket. Each is written once, under a new name, and never changed. */
export class DataFiles {
  /** the number of streams that read each file */
  private readonly readers = new Map<string, number>();
  private readonly discarded = new Set<string>();

  constructor(private readonly folder: string) {}

  /** Lets `write` write a new file, and `commit` put it into a record. Removes the file if one of them throws. */
  async create<Written, Committed>(
    key: string,
    write: (path: string) => Promise<Written>,
    commit: (written: Written, file: string) => Committed,
  ): Promise<Committed> {
    const file = `${fileName(key)}.${randomBytes(8).toString("hex")}.data`;
    try {
      return commit(await write(this.path(file)), file);
    } catch (error) {
      this.discard([{ file, size: 0 }]);
      throw error;
    }
  }

  /** The bytes of the pieces, or a range of them. They can be read to the end even if the pieces are discarded meanwhile. */
  read(pieces: Piece[], range?: ByteRange): Readable {
    for (const { file } of pieces) this.readers.set(file, (this.readers.get(file) ?? 0) + 1);
    const stream = Readable.from(this.readPieces(pieces, range), { objectMode: false });
    stream.once("close", () => this.release(pieces));
    return stream;
  }

  /** Removes files once no stream reads them. If that fails, `sweep` removes them at the next start. */
  discard(pieces: Piece[]): void {
    for (const { file } of pieces) {
      if (this.readers.has(file)) this.discarded.add(file);
      else rm(this.path(file), { force: true }).catch(() => undefined);
    }
  }

  /** Removes files that are not in use: those of a process that was killed between writing the bytes and the record. */
  sweep(inUse: Piece[]): void {
    const names = new Set(inUse.map(({ file }) => file));
    for (const file of readdirSync(this.folder)) {
      if (!file.endsWith(".json") && !names.has(file)) rmSync(this.path(file));
    }
  }

  private path(file: string): string {
    return join(this.folder, file);
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

/** Replaces a file atomically: if the process is killed, it has either the old content or the new. */
export function replaceFile(path: string, content: object): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, JSON.stringify(content));
  renameSync(temporary, path);
}
