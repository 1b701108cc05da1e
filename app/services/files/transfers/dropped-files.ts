import { joinPath } from "../folder-path";
import type { Drop } from "./take-drop";
import type { IncomingFile } from "./upload-queue";

/** What a file manager leaves in folders for itself. */
const LEFT_BEHIND = new Set([".DS_Store", "Thumbs.db"]);
/**
 * So many are handed over at a time, and then the screen has its turn: a browser looks on the disk when it is asked for a file's size,
 * which takes some 0.25 ms. And so the first are sent while the rest are still being found.
 */
const BATCH = 100;

/**
 * What was dropped, folders and all that is in them included, each with the folder that it belongs in, below `folderPath`. Throws a
 * DOMException, after all the rest, when some of it could not be read.
 */
export function droppedFiles(
  { files, entries, sureFiles }: Drop,
  folderPath: string,
): AsyncGenerator<IncomingFile[]> {
  const hasFolders = entries.some((entry) => entry.isDirectory);
  return hasFolders ? inBatches(allIn(entries, sureFiles, folderPath)) : chosenFiles(files, folderPath);
}

/** What was chosen by a button: files, or a folder's, whose empty folders a browser does not tell of. */
export function chosenFiles(files: readonly File[], folderPath: string): AsyncGenerator<IncomingFile[]> {
  const chosen = files
    .filter(({ name }) => !LEFT_BEHIND.has(name))
    .map((file) => {
      const folders = file.webkitRelativePath.split("/").slice(0, -1);
      return { file, name: file.name, folderPath: folders.reduce(joinPath, folderPath) };
    });
  return inBatches(chosen);
}

/** What comes before an error is handed over before it is thrown. */
async function* inBatches<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  try {
    for await (const item of items) {
      batch.push(item);
      if (batch.length < BATCH) continue;
      const full = batch;
      batch = [];
      yield full;
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch (error) {
    yield batch;
    throw error;
  }
  if (batch.length > 0) yield batch;
}

async function* allIn(
  entries: readonly FileSystemEntry[],
  files: readonly File[],
  folderPath: string,
): AsyncGenerator<IncomingFile> {
  const errors: unknown[] = [];
  yield* files.map((file) => ({ file, name: file.name, folderPath }));
  yield* filesIn(entries, folderPath, errors);
  if (errors.length > 0) throw errors[0];
}

async function* filesIn(
  entries: readonly FileSystemEntry[],
  folderPath: string,
  errors: unknown[],
): AsyncGenerator<IncomingFile> {
  for (const entry of entries) {
    const { name } = entry;
    if (LEFT_BEHIND.has(name)) continue;
    try {
      if (entry.isFile) {
        yield { file: await fileOf(entry as FileSystemFileEntry), name, folderPath };
        continue;
      }
      const children = await childrenOf((entry as FileSystemDirectoryEntry).createReader());
      if (children.every((child) => LEFT_BEHIND.has(child.name))) yield { file: null, name, folderPath };
      else yield* filesIn(children, joinPath(folderPath, name), errors);
    } catch (error) {
      errors.push(error);
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
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
