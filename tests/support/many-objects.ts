/** Buckets of very many objects, for those who look at keys and not at bytes: written as the local store keeps them, before it is started. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileName } from "../../local/object-store/data-files";
import type { ObjectRecord } from "../../local/object-store/object-record";
import { ensureBucket } from "../../local/object-store/storage";

/** Objects of no bytes. No store may know the bucket yet. */
export function writeObjects(dataDir: string, bucket: string, keys: Iterable<string>): void {
  mkdirSync(dataDir, { recursive: true });
  ensureBucket(dataDir, bucket);
  const lastModified = Date.UTC(2026, 0, 2, 3, 4, 5);
  for (const key of keys) {
    const etag = '"d41d8cd98f00b204e9800998ecf8427e"';
    const record: ObjectRecord = { key, size: 0, etag, lastModified, headers: {}, pieces: [] };
    writeFileSync(join(dataDir, bucket, "objects", `${fileName(key)}.json`), JSON.stringify(record));
  }
}
