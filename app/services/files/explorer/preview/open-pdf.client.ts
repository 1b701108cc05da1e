import type { PDFDocumentProxy } from "pdfjs-dist";
import { version } from "pdfjs-dist/package.json";

// `.client`: Node cannot import JSON as the compiler does, and the server has no use for any of this.

/** Where `remix.config.js` puts PDF.js: our compiler would break it. */
const library = `/pdfjs/${version}`;

export interface OpenPdf {
  document: PDFDocumentProxy;
  close(): void;
}

/** Opens a PDF in a worker of its own. No eval, which the page's policy forbids; scripts inside the PDF never run. */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const { getDocument, PDFWorker }: typeof import("pdfjs-dist") = await import(`${library}/pdf.min.mjs`);
  const port = new Worker(`${library}/pdf.worker.min.mjs`, { type: "module" });
  // Errors only: what is wrong with a document is the preview's to say, not the console's.
  const worker = PDFWorker.create({ port, verbosity: 0 });
  const close = () => {
    worker.destroy();
    port.terminate();
  };
  try {
    const document = await getDocument({ data, worker, isEvalSupported: false, enableXfa: false }).promise;
    return { document, close };
  } catch (error) {
    close();
    throw error;
  }
}
