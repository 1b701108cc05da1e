/** A worker that reads ZIP archives. `npm run build:assets` makes `/embed-workers/archive.js` of it. */
import { answerMessages } from "../../browse/answer-messages";
import type { Encoding } from "../../browse/decode-text";
import type { Refusal } from "../../browse/run-worker";
import { findEncoding, readDirectory, unpackEntry, type ZipDirectory, type ZipEntry } from "./read-zip";

export type ArchiveRequest =
  | { bytes: Uint8Array<ArrayBuffer>; directory: ZipDirectory }
  | { packed: Uint8Array<ArrayBuffer>; entry: ZipEntry };
export type DirectoryResponse =
  | {
      entries: ZipEntry[];
      isCut: boolean;
      /** what `findEncoding` returns */
      encoding: Encoding | Uint8Array<ArrayBuffer> | null;
    }
  | { refusal: Refusal };
export type EntryResponse = { file: Blob } | { refusal: Refusal };

answerMessages<ArchiveRequest, DirectoryResponse | EntryResponse>(
  (data) =>
    "directory" in data
      ? readNames(data.bytes, data.directory)
      : { file: new Blob([unpackEntry(data.packed, data.entry)]) },
  () => ({ refusal: "damaged" }),
);

/** All names are looked at here, and not in the page, which shows some of them. */
function readNames(bytes: Uint8Array, directory: ZipDirectory): DirectoryResponse {
  const read = readDirectory(bytes, directory);
  return { ...read, encoding: findEncoding(read.entries, bytes) };
}
