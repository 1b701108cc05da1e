import { rename, writeFile } from "node:fs/promises";

/** Writes a file that only its owner can read. A reader sees the old text or the new one, never a part. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, `${text}\n`, { mode: 0o600 });
  await rename(unfinished, path);
}
