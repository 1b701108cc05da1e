/** The code of archive downloads, which is loaded for the first one. */
export { ArchiveDownloads } from "../../transfers/zip/archive-downloads";
export { DownloadPanel } from "./download-panel";
