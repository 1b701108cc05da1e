/** What carries out changes, uploads and archives: one module, which `load-on-demand.ts` loads. */
export { reverseOf, runChange } from "./changes/run-change.js";
export { makeZip } from "./downloads/zip/zip.js";
export { createQueue } from "./uploads/upload-queue.js";
