import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile, type Session } from "../run-command";

/** The file is read once to check it and once to publish it. A pipe can only be read once, so its content is copied. */
export async function openForTwoReadings({ terminal }: Session, file: string): Promise<FileHandle> {
  if (file === "-") return copyToUnnamedFile(terminal.stdin);
  const opened = await openFile(file);
  return (await opened.stat()).isFile() ? opened : copyToUnnamedFile(opened.createReadStream());
}

/** The file is deleted while it is open and empty: however this process ends, no addresses are left on the disk. */
async function copyToUnnamedFile(input: AsyncIterable<Uint8Array | string>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "campaign-"));
  const deleteFolder = () => rm(folder, { recursive: true, force: true });
  const copy = await open(join(folder, "copy"), "wx+", 0o600).finally(deleteFolder);
  try {
    await writeFile(copy, input);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}

/** The content of an open file, from its beginning. Reading may end early, and the file stays open. */
export function contentOf(file: FileHandle): AsyncIterable<Uint8Array> {
  // A destroyed stream closes its file even with `autoClose: false`.
  return file.createReadStream({ start: 0, autoClose: false }).iterator({ destroyOnReturn: false });
}
