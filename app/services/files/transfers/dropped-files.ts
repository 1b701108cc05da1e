import { joinPath } from "../folder-path";
import type { IncomingFile } from "./upload-queue";

/** What was dropped, folders included: each file with the folder that it belongs in, below `folderPath`. */
export async function droppedFiles(data: DataTransfer, folderPath: string): Promise<IncomingFile[]> {
  // Both lists are emptied as soon as the drop event is over.
  const files = [...data.files];
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (!entries.some((entry) => entry.isDirectory)) return files.map((file) => ({ file, folderPath }));
  const found = await Promise.all(entries.map((entry) => filesIn(entry, folderPath)));
  return found.flat();
}

async function filesIn(entry: FileSystemEntry, folderPath: string): Promise<IncomingFile[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    return [{ file, folderPath }];
  }
  const children = await childrenOf((entry as FileSystemDirectoryEntry).createReader());
  const inside = joinPath(folderPath, entry.name);
  return (await Promise.all(children.map((child) => filesIn(child, inside)))).flat();
}

/** A reader hands its entries out in batches, and an empty one at the end. */
async function childrenOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}
