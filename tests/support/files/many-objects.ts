/** Writes very many objects directly to the local store's folder. Uploading them would take too long. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectRecord, Version } from "../../../local/object-store/bucket";
import { fileName } from "../../../local/object-store/data-files";
import { ensureBucket } from "../../../local/object-store/storage";

const DAY_MS = 86_400_000;

const lastModified = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Writes empty objects, or objects with the content that `textOf` returns. Call it before the store reads the bucket. */
export function writeObjects(
  dataDir: string,
  bucket: string,
  keys: Iterable<string>,
  textOf: (key: string) => string = () => "",
): void {
  const folder = makeFolder(dataDir, bucket);
  for (const key of keys) {
    const record = writeContent(folder, key, 1, textOf(key));
    writeFileSync(join(folder, `${fileName(key)}.json`), JSON.stringify(record));
  }
}

/** A version to write: its content, or that it is a delete marker. */
export type WrittenVersion = { text: string } | "deleted";

/** the id of the version that `writeVersions` writes at this position, the oldest being 1 */
export const versionIdAt = (number: number) => `version-${number}`;

/**
 * Writes keys with their versions, oldest first, a day apart. Call it before the store reads the bucket, and then switch versioning on.
 */
export function writeVersions(
  dataDir: string,
  bucket: string,
  histories: Iterable<[key: string, versions: readonly WrittenVersion[]]>,
): void {
  const folder = makeFolder(dataDir, bucket);
  for (const [key, written] of histories) {
    const versions = written.map((one, index): Version => {
      const number = index + 1;
      const common = { version: versionIdAt(number), lastModified: lastModified + index * DAY_MS };
      if (one === "deleted") return { key, ...common, isDeleted: true };
      return { ...writeContent(folder, key, number, one.text), ...common };
    });
    const newestFirst = versions.reverse();
    writeFileSync(join(folder, `${fileName(key)}.json`), JSON.stringify({ key, versions: newestFirst }));
  }
}

function makeFolder(dataDir: string, bucket: string): string {
  mkdirSync(dataDir, { recursive: true });
  ensureBucket(dataDir, bucket);
  return join(dataDir, bucket, "objects");
}

/** Writes the bytes of an object. `number` tells the files of its versions apart. */
function writeContent(folder: string, key: string, number: number, text: string): ObjectRecord {
  const size = Buffer.byteLength(text);
  const pieces = size === 0 ? [] : [{ file: `${fileName(key)}.${number}.data`, size }];
  for (const { file } of pieces) writeFileSync(join(folder, file), text);
  return { key, size, etag: etagOf(text), lastModified, headers: {}, pieces };
}

export function etagOf(text: string): string {
  return `"${createHash("md5").update(text).digest("hex")}"`;
}
