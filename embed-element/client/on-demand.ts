/** What carries out changes, uploads and archives: one module, which `load-on-demand.ts` loads. */
export { runChange, UndoStack } from "./changes/run-change.js";
export { makeZip } from "./downloads/zip/zip.js";
export { createQueue } from "./uploads/upload-queue.js";
