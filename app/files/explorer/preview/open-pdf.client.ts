import { getDocument, type PDFDocumentProxy, PDFWorker } from "pdfjs-dist";
import { pdfWorkerUrl } from "./pdf-worker.client";

export interface OpenPdf {
  document: PDFDocumentProxy;
  close(): void;
}

// `.client`: PDF.js needs a browser as soon as it is loaded, and the server's bundle must not.

/** Opens a PDF in a worker of its own. No eval, which the page's policy forbids; scripts inside the PDF never run. */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const port = new Worker(pdfWorkerUrl, { type: "module" });
  const worker = PDFWorker.create({ port });
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
