import type { PDFDocumentProxy } from "pdfjs-dist";
import { version } from "pdfjs-dist/package.json";

// `.client`: Node cannot import JSON as the compiler does, and the server has no use for any of this.

/** Where `remix.config.js` puts PDF.js: our compiler would break it. */
const library = `/pdfjs/${version}`;

export interface OpenPdf {
  document: PDFDocumentProxy;
  /** puts a page's text over its drawing, to be selected and read aloud */
  TextLayer: typeof import("pdfjs-dist").TextLayer;
  close(): void;
}

/**
 * Opens a PDF in a worker of its own. No eval, which the page's policy forbids; scripts inside the PDF never run. Character maps, fonts and
 * decoders that only some documents need are read from our own origin when one does.
 */
export async function openPdf(data: Uint8Array): Promise<OpenPdf> {
  const { getDocument, PDFWorker, TextLayer }: typeof import("pdfjs-dist") = await import(
    `${library}/pdf.min.mjs`
  );
  const port = new Worker(`${library}/pdf.worker.min.mjs`, { type: "module" });
  // Errors only: what is wrong with a document is the preview's to say, not the console's.
  const verbosity = 0;
  const worker = PDFWorker.create({ port, verbosity });
  const close = () => {
    TextLayer.cleanup();
    worker.destroy();
    port.terminate();
  };
  try {
    const document = await getDocument({
      data,
      worker,
      verbosity,
      cMapUrl: `${library}/cmaps/`,
      standardFontDataUrl: `${library}/standard_fonts/`,
      wasmUrl: `${library}/wasm/`,
      isEvalSupported: false,
      enableXfa: false,
    }).promise;
    return { document, TextLayer, close };
  } catch (error) {
    close();
    throw error;
  }
}
