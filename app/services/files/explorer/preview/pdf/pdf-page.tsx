import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../../language";
import type { OpenPdf } from "./open-pdf.client";

/** Sharper than this costs memory and shows nothing more. */
const SHARPEST = 2;
/** Pixels of one page's drawing: what the smallest of today's browsers allow a canvas. */
const MOST_PIXELS = 16_000_000;

interface PdfPageProps {
  pdf: OpenPdf;
  /** from 1 */
  number: number;
  /** width by height of the first page: the guess for this one until it is drawn */
  firstRatio: number;
  /** 1 is as wide as fits */
  zoom: number;
}

/** Drawn when it comes near the screen, and forgotten when it has gone far: a long document stays light. */
export function PdfPage({ pdf, number, firstRatio, zoom }: PdfPageProps) {
  const { t } = useLanguage();
  const page = useRef<HTMLDivElement>(null);
  const near = useNear(page);
  const [ratio, setRatio] = useState(firstRatio);

  // biome-ignore lint/correctness/useExhaustiveDependencies: of another size, it is drawn again
  useEffect(() => {
    const element = page.current;
    if (!near || !element) return;
    const abort = new AbortController();
    const drawn = drawPage(pdf, number, element, abort.signal);
    void drawn.then((drawnRatio) => drawnRatio && setRatio(drawnRatio));
    return () => abort.abort();
  }, [pdf, number, near, zoom]);

  useEffect(() => {
    if (near || !page.current) return;
    // A canvas that is only left out is kept for a while by some browsers.
    for (const canvas of page.current.querySelectorAll("canvas")) canvas.width = 0;
    page.current.replaceChildren();
  }, [near]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: no part of a form
    <div
      ref={page}
      className="preview__page"
      style={{ aspectRatio: ratio, "--zoom": zoom } as React.CSSProperties}
      role="group"
      aria-label={t("preview.page", { page: number, pages: pdf.document.numPages })}
    />
  );
}

function useNear(page: React.RefObject<HTMLElement>): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!page.current) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: page.current.parentElement,
      rootMargin: "100%",
    });
    observer.observe(page.current);
    return () => observer.disconnect();
  }, [page]);
  return near;
}

/**
 * Draws a page as wide as its element, and lays its text over it. What was drawn before stays until the new is there.
 * @returns width by height; undefined when it was given up meanwhile
 */
async function drawPage(
  { document: pdf, TextLayer }: OpenPdf,
  number: number,
  element: HTMLElement,
  signal: AbortSignal,
): Promise<number | undefined> {
  const page = await pdf.getPage(number);
  if (signal.aborted) return undefined;
  const natural = page.getViewport({ scale: 1 });
  const scale = element.clientWidth / natural.width;
  const sharpness = Math.min(
    window.devicePixelRatio || 1,
    SHARPEST,
    Math.sqrt(MOST_PIXELS / (natural.width * natural.height)) / scale,
  );
  const viewport = page.getViewport({ scale: scale * sharpness });
  const canvas = document.createElement("canvas");
  canvas.ariaHidden = "true";
  canvas.width = Math.round(viewport.width);
  canvas.height = Math.round(viewport.height);
  const text = document.createElement("div");
  text.className = "textLayer";
  text.style.setProperty("--total-scale-factor", String(scale));
  const drawing = page.render({ canvas, viewport });
  const layer = new TextLayer({
    textContentSource: page.streamTextContent(),
    container: text,
    viewport: page.getViewport({ scale }),
  });
  signal.addEventListener("abort", () => {
    drawing.cancel();
    layer.cancel();
  });
  try {
    await drawing.promise;
    element.replaceChildren(canvas, text);
    await layer.render();
  } catch {
    // Cancelled: the page is no longer near, has another size, or the preview is closed. A page that cannot be read stays white.
  }
  return signal.aborted ? undefined : natural.width / natural.height;
}
