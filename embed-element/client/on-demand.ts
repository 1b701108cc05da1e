/** What carries out changes, uploads and archives, and follows a folder: one module, which `load-on-demand.ts` loads. */
export { runChange, UndoStack } from "./changes/run-change.js";
export { makeZip } from "./downloads/zip/zip.js";
export { followFolder } from "./live/follow-folder.js";
export { createQueue } from "./uploads/upload-queue.js";
