/** The code of archive downloads, which is loaded for the first one. */

export { DownloadPanel } from "./download-panel";
export { ArchiveDownloads } from "./zip/archive-downloads";
