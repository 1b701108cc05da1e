import type { PDFDocumentProxy } from "pdfjs-dist";
import { version } from "pdfjs-dist/package.json";
import { moduleLoader } from "../../../../embed/frame/load-module";

// `.client`: the server does not need it, and Node cannot import JSON without an attribute.

/** PDF.js is served as published, because the compiler breaks it. */
const library = `/pdfjs/${version}`;
const loadLibrary = moduleLoader<typeof import("pdfjs-dist")>(() => import(`${library}/pdf.min.mjs`));

export interface OpenPdf {
  document: PDFDocumentProxy;
  /** puts a page's text over its rendering, for selection and screen readers */
  TextLayer: typeof import("pdfjs-dist").TextLayer;
  close(): void;
}

/**
 * Opens a PDF in a worker. Without eval, which the page's policy forbids; scripts in the PDF never run. Character maps, fonts and decoders
 * are loaded from our own origin when a document needs them.
 */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const { getDocument, PDFWorker, TextLayer } = await loadLibrary();
  const port = new Worker(`${library}/pdf.worker.min.mjs`, { type: "module" });
  // Otherwise, PDF.js would wait indefinitely.
  const crashed = new Promise<never>((_, reject) => {
    port.onerror = () => reject(new Error("The worker of PDF.js could not be loaded, or has crashed."));
  });
  // Errors only: warnings about a document do not belong on the console.
  const verbosity = 0;
  const worker = PDFWorker.create({ port, verbosity });
  const close = () => {
    TextLayer.cleanup();
    worker.destroy();
    port.terminate();
  };
  try {
    const opening = getDocument({
      data,
      worker,
      verbosity,
      cMapUrl: `${library}/cmaps/`,
      standardFontDataUrl: `${library}/standard_fonts/`,
      wasmUrl: `${library}/wasm/`,
      isEvalSupported: false,
      enableXfa: false,
    });
    const document = await Promise.race([opening.promise, crashed]);
    return { document, TextLayer, close };
  } catch (error) {
    close();
    throw error;
  }
}
