import "pdfjs-dist/build/pdf.worker.min.mjs";

/**
 * Where the compiler has put this module, worker code and all: that is the worker's address. Loading it here runs no more
 * than its definitions, and the worker then finds it in the browser's cache.
 */
export const pdfWorkerUrl = import.meta.url;
