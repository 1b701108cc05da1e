/** A worker that reads ZIP archives. `npm run build:assets` makes `/embed-workers/archive.js` of it. */
import { answerMessages } from "../../browse/answer-messages";
import type { Refusal } from "../../browse/run-worker";
import { readDirectory, unpackEntry, type ZipDirectory, type ZipEntry } from "./read-zip";

export type ArchiveRequest =
  | { bytes: Uint8Array<ArrayBuffer>; directory: ZipDirectory }
  | { packed: Uint8Array<ArrayBuffer>; entry: ZipEntry };
export type DirectoryResponse = { entries: ZipEntry[]; isCut: boolean } | { refusal: Refusal };
export type EntryResponse = { file: Blob } | { refusal: Refusal };

answerMessages<ArchiveRequest, DirectoryResponse | EntryResponse>(
  (data) =>
    "directory" in data
      ? readDirectory(data.bytes, data.directory)
      : { file: new Blob([unpackEntry(data.packed, data.entry)]) },
  () => ({ refusal: "damaged" }),
);
