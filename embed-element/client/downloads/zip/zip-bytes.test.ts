import { Readable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import {
  fromBufferPromise,
  fromRandomAccessReaderPromise,
  RandomAccessReader,
  readEntries,
  sha256,
} from "../../../../tests/support/files/unzip";
import { Crc } from "../../../shared/crc";
import { type ZipEntry, zipBytes, zipLength } from "./zip-bytes";

const modified = Date.UTC(2026, 10, 3, 12, 34, 56);
const entryOf = (path: string, size: number): ZipEntry => ({ path, size, modified });

/** The archive of files with these contents; a path that ends with `/` is a folder. */
async function zipOf(contents: Record<string, Uint8Array>): Promise<{ bytes: Buffer; entries: ZipEntry[] }> {
  const entries = Object.entries(contents).map(([path, { length }]) => entryOf(path, length));
  const chunks: Uint8Array[] = [];
  const read = async function* (index: number) {
    const bytes = contents[entries[index]?.path ?? ""] ?? new Uint8Array();
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  };
  for await (const chunk of zipBytes(entries, read)) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), entries };
}

describe("an archive", () => {
  it("has its files and folders with their names, times and permissions, and the length that was said", async () => {
    const contents = {
      "a.txt": Buffer.from("hello"),
      "Café/": Buffer.alloc(0),
      "Café/東京 – “plan”.bin": Buffer.alloc(123_457, "x"),
      "Café/empty.txt": Buffer.alloc(0),
    };
    const { bytes, entries } = await zipOf(contents);
    expect(bytes.length).toBe(zipLength(entries));
    const read = await readEntries(await fromBufferPromise(bytes, { strictFileNames: true }));
    expect(read).toEqual(
      Object.entries(contents).map(([name, content]) => ({
        name,
        size: content.length,
        sha256: sha256(content),
        modified: new Date(modified),
        mode: name.endsWith("/") ? 0o040755 : 0o100644,
      })),
    );
  });

  it("of nothing is an archive too", async () => {
    const { bytes } = await zipOf({});
    expect(bytes.length).toBe(zipLength([]));
    expect(await readEntries(await fromBufferPromise(bytes))).toEqual([]);
  });

  it.each([
    // The old form knows even seconds alone, in the reader's own time zone, and the years from 1980 to 2107.
    [new Date(2026, 10, 3, 12, 34, 57), new Date(2026, 10, 3, 12, 34, 56)],
    [new Date(1980, 0, 1, 0, 0, 0), new Date(1980, 0, 1, 0, 0, 0)],
    [new Date(2107, 11, 31, 23, 59, 58), new Date(2107, 11, 31, 23, 59, 58)],
    [new Date(1979, 11, 31, 23, 59, 58), new Date(1980, 0, 1, 0, 0, 0)],
    [new Date(2108, 0, 1, 0, 0, 0), new Date(1980, 0, 1, 0, 0, 0)],
  ])("says times in the old form too, for what reads no other: %j", async (modified, said) => {
    const chunks: Uint8Array[] = [];
    const entries = [{ path: "a.txt", size: 0, modified: modified.getTime() }];
    for await (const chunk of zipBytes(entries, () => Readable.from([]))) chunks.push(chunk);
    const archive = await fromBufferPromise(Buffer.concat(chunks));
    for await (const entry of archive.eachEntry())
      expect(entry.getLastModDate({ forceDosFormat: true, timezone: "local" })).toEqual(said);
    archive.close();
    expect.assertions(1);
  });

  it("of times that it cannot hold has the earliest that it can", async () => {
    const entries = [{ path: "old.txt", size: 0, modified: Number.NaN }];
    const chunks: Uint8Array[] = [];
    for await (const chunk of zipBytes(entries, () => Readable.from([]))) chunks.push(chunk);
    const [entry] = await readEntries(await fromBufferPromise(Buffer.concat(chunks)));
    expect(entry?.modified).toEqual(new Date(0));
  });

  it("of more than 65,535 files says how many", async () => {
    const contents = Object.fromEntries(
      Array.from({ length: 70_000 }, (_, index) => [`file ${index}`, Buffer.of(index & 255)]),
    );
    const { bytes, entries } = await zipOf(contents);
    expect(bytes.length).toBe(zipLength(entries));
    const archive = await fromBufferPromise(bytes);
    expect(archive.entryCount).toBe(70_000);
    const read = await readEntries(archive, (name) => name === "file 69999");
    expect(read.length).toBe(70_000);
    expect(read.at(-1)?.sha256).toBe(sha256(Buffer.of(69_999 & 255)));
  });

  it("of more than 4 GiB, in one file and in all, has 64-bit sizes and places", async () => {
    const large = 2 ** 32 + 12_345;
    const entries = [entryOf("small.txt", 3), entryOf("large.bin", large), entryOf("after.txt", 5)];
    const zeros = new Uint8Array(2 ** 22);
    const read = async function* (index: number) {
      if (index === 0) yield Buffer.from("one");
      if (index === 2) yield Buffer.from("after");
      if (index !== 1) return;
      for (let left = large; left > 0; left -= zeros.length)
        yield zeros.subarray(0, Math.min(left, zeros.length));
    };
    const kept = new KeptArchive(zeros);
    // Lengths are tested here. The checksum of 4 GiB would take most of the test's time.
    const update = Crc.prototype.update;
    const updates = vi.spyOn(Crc.prototype, "update").mockImplementation(function (this: Crc, bytes) {
      if (bytes.buffer !== zeros.buffer) update.call(this, bytes);
    });
    for await (const chunk of zipBytes(entries, read)) kept.add(chunk);
    updates.mockRestore();
    expect(kept.length).toBe(zipLength(entries));
    const archive = await fromRandomAccessReaderPromise(kept, kept.length, { autoClose: false });
    const names = await readEntries(archive, (name) => name !== "large.bin");
    expect(names.map(({ name, size, sha256 }) => [name, size, sha256])).toEqual([
      ["small.txt", 3, sha256("one")],
      ["large.bin", large, sha256("")],
      ["after.txt", 5, sha256("after")],
    ]);
  });

  it.each([
    ["shorter", "1234"],
    ["longer", "123456"],
  ])("with a file that is %s than said is never completed", async (_, content) => {
    const archive = zipBytes([entryOf("a.txt", 5)], () => Readable.from([Buffer.from(content)]));
    const chunks: Uint8Array[] = [];
    const complete = (async () => {
      for await (const chunk of archive) chunks.push(chunk);
    })();
    await expect(complete).rejects.toThrow("An entry of 5 bytes has");
    await expect(fromBufferPromise(Buffer.concat(chunks))).rejects.toThrow();
  });
});

/** An archive of which only what is not zeros is kept. */
class KeptArchive extends RandomAccessReader {
  length = 0;
  #chunks: { at: number; bytes: Uint8Array }[] = [];

  constructor(private readonly zeros: Uint8Array) {
    super();
  }

  add(bytes: Uint8Array): void {
    if (bytes.buffer !== this.zeros.buffer) this.#chunks.push({ at: this.length, bytes });
    this.length += bytes.length;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const result = Buffer.alloc(end - start);
    for (const { at, bytes } of this.#chunks) {
      if (at >= end || at + bytes.length <= start) continue;
      const from = Math.max(start - at, 0);
      result.set(bytes.subarray(from, end - at), at + from - start);
    }
    return Readable.from([result]);
  }
}
