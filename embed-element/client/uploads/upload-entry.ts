import type { FilesError } from "../errors.js";
import type { World } from "../world.js";
import type { MultipartUpload } from "./multipart-upload.js";
import { phaseOf, type Upload, type UploadPhase } from "./upload.js";
import type { UploadRecord } from "./upload-records.js";

/** An upload with everything needed to send it. */
export interface UploadEntry {
  upload: Upload;
  /** null for an empty folder, and until a person has chosen the file of an upload that needs it */
  file: FileToUpload | null;
  /** names that are taken in the folder, as far as the caller knows */
  taken: ReadonlySet<string>;
  /** the same object for all files that were added at once */
  batch: object;
  overwrite: boolean;
  /** on a conflict, take the next free name instead of asking */
  keepBoth: boolean;
  /** nobody has approved it yet */
  isHeld: boolean;
  /** an attempt was made before: the file may be in the store already */
  mayBeStored: boolean;
  /** look at the server for an unfinished upload of the file */
  mayFind: boolean;
  /** the unfinished upload that was found, until the person has decided */
  found: MultipartUpload | null;
  /** stops the running attempt; null while there is none */
  abort: AbortController | null;
  /** of a large file, once it is created */
  multipart: MultipartUpload | null;
  /** the world's record of it */
  record: UploadRecord | null;
  /** gives up the claim on `record` */
  release: (() => void) | null;
  /** whoever waits for its end */
  ended: (upload: Upload) => void;
}

/** A `File`, or other bytes. */
export type FileToUpload = Blob & { name?: string; lastModified?: number };

export function entryOf(upload: Upload, file: FileToUpload | null): UploadEntry {
  return {
    upload,
    file,
    taken: new Set(),
    batch: {},
    overwrite: false,
    keepBoth: false,
    isHeld: false,
    mayBeStored: false,
    mayFind: true,
    found: null,
    abort: null,
    multipart: null,
    record: null,
    release: null,
    ended() {},
  };
}

/** What a later visit needs to continue an upload. */
export function newRecord(
  id: string,
  { upload: { name, folderPath }, overwrite }: UploadEntry,
  { handle, key, size, partSize, partCount, algorithm }: MultipartUpload,
  { bucket, file, contentType }: { bucket: string; file: FileToUpload; contentType: string },
  { clock }: Pick<World, "clock">,
): UploadRecord {
  const { lastModified = 0 } = file;
  const created = { handle, key, size, partSize, partCount, algorithm, arrived: 0, begunAt: clock.date() };
  return { ...created, id, bucket, folderPath, name, lastModified, contentType, overwrite };
}

/** An upload of an earlier visit. */
export function entryOfRecord(id: number, record: UploadRecord): UploadEntry {
  const { name, folderPath, size, overwrite, arrived: sent } = record;
  const asked = { status: "waiting", question: { about: "file" }, error: null } as const;
  const upload: Upload = { id, isFolder: false, name, folderPath, size, sent, ...asked };
  const multipart = { ...record, storedParts: new Map(), needsCheck: true };
  return { ...entryOf(upload, null), overwrite, multipart, record };
}

/** Whether `file` seems to be the one that an upload needs, judged without reading it. */
export function isFileOf(
  { record, upload }: UploadEntry,
  file: FileToUpload,
  folderPath: string,
  name: string,
): boolean {
  return (
    phaseOf(upload) === "file" &&
    record?.folderPath === folderPath &&
    record.name === name &&
    record.size === file.size &&
    record.lastModified === (file.lastModified ?? 0)
  );
}

/**
 * For each phase, those that can follow. `failed` after `paused`: a file may be refused late. `done` after `cancelled`, `paused` and
 * `queued` (after a pause): the store may have received the last byte already.
 */
const nextPhases: Record<UploadPhase, readonly UploadPhase[]> = {
  queued: ["approval", "sending", "paused", "conflict", "failed", "done", "cancelled"],
  approval: ["queued", "paused", "failed", "cancelled"],
  checking: ["sending", "retrying", "paused", "file", "found", "conflict", "failed", "done", "cancelled"],
  sending: ["checking", "retrying", "paused", "found", "conflict", "failed", "done", "cancelled"],
  retrying: ["checking", "sending", "paused", "file", "found", "conflict", "failed", "done", "cancelled"],
  paused: ["queued", "failed", "done", "cancelled"],
  file: ["queued"],
  found: ["queued", "cancelled"],
  conflict: ["queued", "cancelled"],
  failed: ["queued"],
  done: [],
  cancelled: ["queued", "done"],
};

/** `upload` after the next phase; null when that cannot follow the current one. @param contentType for the question of `approval` */
export function inPhase(
  upload: Upload,
  phase: UploadPhase,
  error: FilesError | null,
  contentType = "",
): Upload | null {
  if (!nextPhases[phaseOf(upload)].includes(phase)) return null;
  const sent = phase === "done" ? upload.size : upload.sent;
  switch (phase) {
    case "approval":
      return { ...upload, status: "waiting", question: { about: phase, contentType }, error };
    case "conflict":
    case "found":
    case "file":
      return { ...upload, status: "waiting", question: { about: phase }, error };
    default:
      return { ...upload, status: phase, question: null, sent, error };
  }
}
