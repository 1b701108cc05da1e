import type { SendMemory } from "./send-file";
import type { UnfinishedUpload } from "./unfinished-uploads";
import type { Upload } from "./upload";

/** An upload with what it takes to send it. */
export interface UploadEntry extends SendMemory {
  upload: Upload;
  /** null for an empty folder, and until a person has chosen the file of an interrupted upload */
  file: File | null;
  overwrite: boolean;
  /** on a conflict, take the next free name instead of asking */
  keepBoth: boolean;
  /** the page around has not said yet whether it accepts the file */
  isHeld: boolean;
  /** it has been sent before, and stopped */
  isStarted: boolean;
  /** stops what runs; null while nothing does */
  abort: AbortController | null;
  /** what the browser remembers of it */
  unfinished: UnfinishedUpload | null;
  /** gives up the claim on `unfinished` */
  release: (() => void) | null;
}

export function entryOf(upload: Upload, file: File | null): UploadEntry {
  return {
    upload,
    file,
    overwrite: false,
    keepBoth: false,
    isHeld: false,
    isStarted: false,
    abort: null,
    parted: null,
    isReopened: false,
    unfinished: null,
    release: null,
  };
}

/** One from an earlier visit: it goes on when its file is chosen again. */
export function interruptedEntry(id: number, unfinished: UnfinishedUpload): UploadEntry {
  const { name, folderPath, size, overwrite, arrived: sent } = unfinished;
  const status = "interrupted";
  const upload: Upload = { id, isFolder: false, name, folderPath, size, sent, status, problem: null };
  const parted = { ...unfinished, arrived: new Map() };
  return { ...entryOf(upload, null), overwrite, parted, isReopened: true, unfinished };
}

/** Whether a file is the one of an interrupted upload, as far as can be told without reading it. */
export function isFileOf(
  { unfinished, upload }: UploadEntry,
  file: File,
  folderPath: string,
  name: string,
): boolean {
  return (
    upload.status === "interrupted" &&
    unfinished?.folderPath === folderPath &&
    unfinished.name === name &&
    unfinished.size === file.size &&
    unfinished.lastModified === file.lastModified
  );
}
