/** Writes very many objects directly to the local store's folder. Uploading them would take too long. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ObjectRecord } from "../../../local/object-store/bucket";
import { fileName } from "../../../local/object-store/data-files";
import { ensureBucket } from "../../../local/object-store/storage";

/** Writes empty objects, or objects with the content that `textOf` returns. Call it before the store reads the bucket. */
export function writeObjects(
  dataDir: string,
  bucket: string,
  keys: Iterable<string>,
  textOf: (key: string) => string = () => "",
): void {
  mkdirSync(dataDir, { recursive: true });
  ensureBucket(dataDir, bucket);
  const lastModified = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const key of keys) {
    const text = textOf(key);
    const size = Buffer.byteLength(text);
    const pieces = size === 0 ? [] : [{ file: `${fileName(key)}.1.data`, size }];
    const record: ObjectRecord = { key, size, etag: etagOf(text), lastModified, headers: {}, pieces };
    const folder = join(dataDir, bucket, "objects");
    for (const { file } of pieces) writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, `${fileName(key)}.json`), JSON.stringify(record));
  }
}

export function etagOf(text: string): string {
  return `"${createHash("md5").update(text).digest("hex")}"`;
}
