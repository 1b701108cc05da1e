import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { version } from "pdfjs-dist/package.json";
import { moduleLoader } from "platform-embed-element/client";
import { runWorker } from "../run-worker";

// `.client`: the server does not need it, and Node cannot import JSON without an attribute.

/** PDF.js is served as published, because the compiler breaks it. */
const library = `/pdfjs/${version}`;
const loadLibrary = moduleLoader<typeof import("pdfjs-dist")>(() => import(`${library}/pdf.min.mjs`));

/** Without progress. Slow phones take a quarter of this for a page of a large drawing. */
const TIMEOUT_MS = 20_000;
const MAX_IMAGE_PIXELS = 50_000_000;

/** Returns the password of a PDF, or never. @param isWrong whether another one was tried before */
export type AskPassword = (isWrong: boolean) => Promise<string>;

export interface OpenPdf {
  document: PDFDocumentProxy;
  firstPage: PDFPageProxy;
  /** puts a page's text over its rendering, for selection and screen readers */
  TextLayer: typeof import("pdfjs-dist").TextLayer;
  /** Aborted when the PDF was closed or took too long. Its worker is gone then, and the reason says why. */
  ended: AbortSignal;
  /** Waits for work of PDF.js, which never ends by itself when its worker is gone. @throws the reason of `ended` */
  untilEnded<Result>(work: Promise<Result>): Promise<Result>;
}

/**
 * Opens a PDF in a worker, which ends when `signal` is aborted. Scripts in the PDF never run.
 * Character maps, fonts and decoders are loaded from our own origin when a document needs them.
 * @throws RangeError for a PDF that takes too long or unpacks too far, SyntaxError for one that cannot be read; the signal's reason
 */
export async function openPdf(
  data: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  askPassword?: AskPassword,
): Promise<OpenPdf> {
  // Before PDF.js has the bytes: it unpacks whole streams into memory.
  const [{ getDocument, PasswordResponses, PDFWorker, TextLayer }, isTooFar] = await Promise.all([
    loadLibrary(),
    runWorker<boolean>("pdf-streams", data, TIMEOUT_MS, signal),
  ]);
  signal.throwIfAborted();
  if (isTooFar !== false) throw new RangeError("The PDF unpacks to too many bytes.");
  const port = new Worker(`${library}/worker.mjs`, { type: "module" });
  // Errors only: warnings about a document do not belong on the console.
  const verbosity = 0;
  const worker = PDFWorker.create({ port, verbosity });
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  // Otherwise, PDF.js would wait indefinitely.
  port.onerror = () => end.abort(new Error("The worker of PDF.js could not be loaded, or has crashed."));
  let isAsking = false;
  const isPaused = () => isAsking;
  const untilEnded = limitWaiting(ended, isPaused, () =>
    end.abort(new RangeError("The PDF takes too long.")),
  );
  const opening = getDocument({
    data,
    worker,
    verbosity,
    cMapUrl: `${library}/cmaps/`,
    standardFontDataUrl: `${library}/standard_fonts/`,
    wasmUrl: `${library}/wasm/`,
    enableXfa: false,
    maxImageSize: MAX_IMAGE_PIXELS,
  });
  if (askPassword)
    opening.onPassword = async (use: (password: string) => void, reason: number) => {
      isAsking = true;
      use(await askPassword(reason === PasswordResponses.INCORRECT_PASSWORD));
      isAsking = false;
    };
  ended.addEventListener("abort", () => {
    // Frees the images of the pages at once. It then waits for the worker, which is ended before it can reply.
    opening.destroy().catch(() => {});
    port.terminate();
    worker.destroy();
    TextLayer.cleanup();
  });
  try {
    const document = await untilEnded(opening.promise);
    const firstPage = await untilEnded(document.getPage(1));
    return { document, firstPage, TextLayer, ended, untilEnded };
  } catch (error) {
    // What has not ended it is what PDF.js says about the document.
    if (!ended.aborted) end.abort(new SyntaxError("PDF.js cannot read the document.", { cause: error }));
    throw ended.reason;
  }
}

/** Calls `onLate` when work is waited for, and none has finished for `TIMEOUT_MS`, without the time in which it is paused. */
function limitWaiting(
  ended: AbortSignal,
  isPaused: () => boolean,
  onLate: () => void,
): OpenPdf["untilEnded"] {
  let waiting = 0;
  let waitedMs = 0;
  let last = 0;
  // In frames, because PDF.js draws in frames, and browsers give none to a page that is not seen.
  const watch = (now: number) => {
    if (waiting === 0 || ended.aborted) return;
    if (!isPaused()) waitedMs += Math.min(now - last, 1_000);
    last = now;
    if (waitedMs > TIMEOUT_MS) onLate();
    else requestAnimationFrame(watch);
  };
  const stopped = new Promise<never>((_, reject) => {
    if (ended.aborted) reject(ended.reason);
    ended.addEventListener("abort", () => reject(ended.reason));
  });
  stopped.catch(() => {});
  return async (work) => {
    waitedMs = 0;
    if (waiting++ === 0) {
      last = performance.now();
      requestAnimationFrame(watch);
    }
    try {
      return await Promise.race([work, stopped]);
    } finally {
      waiting--;
      waitedMs = 0;
    }
  };
}
