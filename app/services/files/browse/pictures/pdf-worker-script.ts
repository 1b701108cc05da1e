/**
 * What starts the worker of PDF.js, which lies beside it as it is published. With `DecompressionStream`, PDF.js has the browser unpack a whole stream
 * in one call, which goes on when the worker is ended; and of the streams inside of a page's content, nobody counts what they unpack to. Without
 * it, PDF.js unpacks itself, of a picture no more than it has pixels, and ends with its worker.
 */
export const pdfWorkerScript = `import "./pdf.worker.min.mjs";
delete globalThis.DecompressionStream;
`;
