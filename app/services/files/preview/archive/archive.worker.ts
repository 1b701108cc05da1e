/** A worker that reads ZIP archives. `npm run build:assets` makes `/embed-workers/archive.js` of it. */
import type { Refusal } from "../../browse/run-worker";
import { readDirectory, unpackEntry, type ZipDirectory, type ZipEntry } from "./read-zip";

export type ArchiveRequest =
  | { bytes: Uint8Array<ArrayBuffer>; directory: ZipDirectory }
  | { packed: Uint8Array<ArrayBuffer>; entry: ZipEntry };
export type DirectoryResponse = { entries: ZipEntry[]; isCut: boolean } | { refusal: Refusal };
export type EntryResponse = { file: Blob } | { refusal: Refusal };

const post = postMessage as (message: DirectoryResponse | EntryResponse) => void;

addEventListener("message", ({ data }: MessageEvent<ArchiveRequest>) => {
  try {
    if ("directory" in data) post(readDirectory(data.bytes, data.directory));
    else post({ file: new Blob([unpackEntry(data.packed, data.entry)]) });
  } catch {
    post({ refusal: "damaged" });
  }
});
