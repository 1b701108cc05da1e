/** Files that are read more than once: each time what was opened, whatever has become of its name. */
import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHUNK_BYTES = 64 * 1024;

/** What `file` holds, from its beginning. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** A copy of what can be read once. Its name is gone before anything is in it: however this process ends, nothing is left behind. */
export async function copyOf(input: AsyncIterable<Uint8Array | string>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "campaign-"));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  const copy = await open(join(folder, "copy"), "wx+", 0o600).finally(removeFolder);
  try {
    await writeFile(copy, input);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}
