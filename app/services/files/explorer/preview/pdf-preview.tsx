import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { useLanguage } from "../language";
import { fetchObject } from "./fetch-object";
import { openPdf } from "./open-pdf.client";
import { PreviewProblem, PreviewWait } from "./preview-note";
import { useLoaded } from "./use-loaded";

/** Sharper than this costs memory and shows nothing more. */
const SHARPEST = 2;

/**
 * Drawn by PDF.js, loaded when first needed: browsers do not run their own viewer in a sandboxed frame, and phones have none.
 */
export function PdfPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const opened = useLoaded(
    async (signal) => {
      const pdf = await openPdf(await fetchObject(client, file.key, signal));
      if (signal.aborted) pdf.close();
      else signal.addEventListener("abort", pdf.close);
      const first = await pdf.document.getPage(1);
      const { width, height } = first.getViewport({ scale: 1 });
      return { document: pdf.document, ratio: width / height };
    },
    [client, file.key, file.etag],
  );
  if (opened.state === "loading") return <PreviewWait />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  const { document, ratio } = opened.value;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
    <div className="preview__pages" tabIndex={0} role="document" aria-label={file.name}>
      {Array.from({ length: document.numPages }, (_, index) => index + 1).map((number) => (
        <PdfPage key={number} document={document} number={number} firstRatio={ratio} />
      ))}
    </div>
  );
}

interface PdfPageProps {
  document: PDFDocumentProxy;
  /** from 1 */
  number: number;
  /** width by height of the first page: the guess for this one until it is drawn */
  firstRatio: number;
}

/** Drawn when it comes near the screen, and forgotten when it has gone far: a long document stays light. */
function PdfPage({ document, number, firstRatio }: PdfPageProps) {
  const { t } = useLanguage();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [near, setNear] = useState(false);
  const [ratio, setRatio] = useState(firstRatio);

  useEffect(() => {
    if (!canvas.current) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: canvas.current.parentElement,
      rootMargin: "100%",
    });
    observer.observe(canvas.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (!near || !element) return;
    let stop = () => {};
    let stopped = false;
    void (async () => {
      const page = await document.getPage(number);
      const natural = page.getViewport({ scale: 1 });
      if (stopped) return;
      setRatio(natural.width / natural.height);
      const sharpness = Math.min(window.devicePixelRatio || 1, SHARPEST);
      const viewport = page.getViewport({ scale: (element.clientWidth / natural.width) * sharpness });
      element.width = Math.floor(viewport.width);
      element.height = Math.floor(viewport.height);
      const drawing = page.render({ canvas: element, viewport });
      stop = () => drawing.cancel();
      // Cancelled: the page is no longer near, or the preview is closed.
      await drawing.promise.catch(() => {});
    })();
    return () => {
      stopped = true;
      stop();
      element.width = 0;
      element.height = 0;
    };
  }, [document, number, near]);

  return (
    <canvas
      ref={canvas}
      className="preview__page"
      width={0}
      height={0}
      style={{ aspectRatio: ratio }}
      role="img"
      aria-label={t("preview.page", { page: number, pages: document.numPages })}
    />
  );
}
