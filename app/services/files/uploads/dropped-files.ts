import { joinPath } from "platform-embed-element/client";

/** A file, or an empty folder, and the folder that it goes into. */
export interface IncomingFile {
  /** null for an empty folder; `name` is then the name of the folder */
  file: File | null;
  name: string;
  folderPath: string;
  /** a file that a file manager or an office program has made for itself, in a folder: nobody has chosen it */
  isSystemFile?: boolean;
}

/** What a person has to know of files that were chosen or dropped. */
export type UploadNotice = "nothingFound" | "notAllRead" | "systemFilesLeft" | "problems.unreachable";

/** What was chosen or dropped at once, in batches. */
export type IncomingFiles = AsyncGenerator<IncomingFile[]>;

/** Files of macOS, of Windows, and of an Office document that is open. */
const SYSTEM_FILE = /^(\.DS_Store|\._.*|Thumbs\.db|desktop\.ini|~\$.*)$/i;
/**
 * Files yielded at a time, with a pause for the screen in between: asking a file for its size reads the disk, some 0.25 ms each. It also
 * lets the first files be sent while the rest are still being found.
 */
const BATCH_FILES = 100;

/**
 * The dropped files and the contents of dropped folders, each with the folder below `folderPath` that it goes into. Throws a DOMException
 * at the end if something could not be read.
 */
export function droppedFiles({ files, entries, sureFiles }: FileDrop, folderPath: string): IncomingFiles {
  const hasFolders = entries.some((entry) => entry.isDirectory);
  return hasFolders ? inBatches(allIn(entries, sureFiles, folderPath)) : chosenFiles(files, folderPath);
}

/** Files chosen by a button, or those of a chosen folder. Browsers leave out its empty folders. */
export function chosenFiles(files: readonly File[], folderPath: string): IncomingFiles {
  const chosen = files.map((file) => {
    const { name } = file;
    const folders = file.webkitRelativePath.split("/").slice(0, -1);
    const isSystemFile = folders.length > 0 && SYSTEM_FILE.test(name);
    return { file, name, folderPath: folders.reduce(joinPath, folderPath), isSystemFile };
  });
  return inBatches(chosen);
}

/**
 * Hands over what was chosen or dropped, except system files.
 * @param take resolves when these files are uploaded
 * @param tell gets the sentence that tells the person what went wrong, perhaps minutes later
 */
export async function takeBatches(
  batches: IncomingFiles,
  take: (files: IncomingFile[]) => Promise<unknown>,
  tell: (sentence: UploadNotice, count: number) => void,
): Promise<void> {
  let found = 0;
  let leftOut = 0;
  try {
    for await (const batch of batches) {
      const files = batch.filter(({ isSystemFile }) => !isSystemFile);
      found += files.length;
      leftOut += batch.length - files.length;
      // It rejects if the code that uploads could not be loaded for ten minutes.
      if (files.length > 0) void take(files).catch(() => tell("problems.unreachable", 0));
    }
    if (found === 0) tell("nothingFound", 0);
    else if (leftOut > 0) tell("systemFilesLeft", leftOut);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    tell("notAllRead", 0);
  }
}

/** Yields everything that came before an error, then throws it. */
async function* inBatches<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  try {
    for await (const item of items) {
      batch.push(item);
      if (batch.length < BATCH_FILES) continue;
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
  yield* filesIn(entries, folderPath, errors, false);
  if (errors.length > 0) throw errors[0];
}

async function* filesIn(
  entries: readonly FileSystemEntry[],
  folderPath: string,
  errors: unknown[],
  areInFolder = true,
): AsyncGenerator<IncomingFile> {
  for (const entry of entries) {
    const { name, isFile } = entry;
    try {
      if (isFile) {
        const isSystemFile = areInFolder && SYSTEM_FILE.test(name);
        yield { file: await fileOf(entry as FileSystemFileEntry), name, folderPath, isSystemFile };
        continue;
      }
      const children = await childrenOf((entry as FileSystemDirectoryEntry).createReader());
      const hasOwn = children.some((child) => !(child.isFile && SYSTEM_FILE.test(child.name)));
      if (!hasOwn) yield { file: null, name, folderPath };
      yield* filesIn(children, joinPath(folderPath, name), errors);
    } catch (error) {
      errors.push(error);
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader returns entries in batches, the last one empty. */
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

/** The content of a drop event, as far as it must be read while the event is dispatched. */
interface FileDrop {
  /** everything; folders look like files here */
  files: File[];
  /** files and folders that are not in `sureFiles` */
  entries: FileSystemEntry[];
  /** recognized as files by their media type */
  sureFiles: File[];
}

/**
 * Up to this number, the browser is asked of each item whether it is a folder. That takes some 0.2 ms each and blocks the screen: two seconds
 * for ten thousand photos.
 */
const MAX_CHECKED_ITEMS = 500;
/** Items of these media types are taken as files. Only a folder that is named like one, such as `a.jpg`, is misjudged. */
const SURE_FILE = /^(image|video|audio|text)\//;

/** Call it in the event handler: afterwards the data is gone. */
export function takeDrop(data: DataTransfer): FileDrop {
  const items = [...data.items];
  const isSure = ({ type }: DataTransferItem) => items.length > MAX_CHECKED_ITEMS && SURE_FILE.test(type);
  const entries = items.filter((item) => !isSure(item)).map((item) => item.webkitGetAsEntry());
  const sureFiles = items.filter(isSure).map((item) => item.getAsFile());
  return {
    files: [...data.files],
    entries: entries.filter((entry) => entry !== null),
    sureFiles: sureFiles.filter((file) => file !== null),
  };
}
