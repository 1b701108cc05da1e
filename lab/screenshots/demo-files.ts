import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { TestBucket } from "../../tests/support/files/bucket";

export const DEMO_FILES = "local/demo-files";

/** Puts the demo's files into a bucket. */
export async function putDemoFiles(bucket: TestBucket): Promise<void> {
  for (const entry of readdirSync(DEMO_FILES, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === "LICENSE") continue;
    const file = join(entry.parentPath, entry.name);
    await bucket.put(relative(DEMO_FILES, file), readFileSync(file));
  }
}
