import { useEffect, useRef, useState } from "react";
import { visibleText } from "../../../../locales/visible-text";
import type { StorageClient } from "../../storage-client";
import type { FileEntry } from "../../storage-contract.server";
import { contentId } from "../content-of";
import { useLanguage } from "../language";
import { fetchObject } from "./fetch-object";
import { type OpenPdf, openPdf } from "./open-pdf.client";
import { PreviewBar, PreviewProblem, PreviewWait } from "./preview-elements";
import { useLoaded } from "./use-loaded";
import { onZoomKey, useZoom, ZoomButtons } from "./zoom";

/**
 * Rendered by PDF.js: browsers do not run their own viewer in a sandboxed frame, and phones have none.
 */
export function PdfPreview({ file, client }: { file: FileEntry; client: StorageClient }) {
  const opened = useLoaded(
    async (signal) => {
      const pdf = await openPdf(await fetchObject(client, file, signal));
      if (signal.aborted) pdf.close();
      else signal.addEventListener("abort", pdf.close);
      const first = await pdf.document.getPage(1);
      const { width, height } = first.getViewport({ scale: 1 });
      return { pdf, ratio: width / height };
    },
    [client, contentId(file), file.etag],
  );
  if (opened.state === "loading") return <PageSkeleton />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  return <Pages name={file.name} {...opened.value} />;
}

/** A placeholder for the first page, so that the layout does not shift. */
function PageSkeleton() {
  return (
    <div className="preview__zoom">
      <PreviewBar waiting>
        <span className="icon-button" />
      </PreviewBar>
      <div className="preview__pages preview__pages--waiting">
        <div className="preview__page preview__page--waiting" style={{ aspectRatio: A4_RATIO }} />
      </div>
      <PreviewWait />
    </div>
  );
}

/** width to height */
const A4_RATIO = 210 / 297;

function Pages({ name, pdf, ratio }: { name: string; pdf: OpenPdf; ratio: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const zoom = useZoom(scroller, { least: 0.5, most: 5, wheel: "with-control" });
  return (
    <div className="preview__zoom">
      <PreviewBar>
        <ZoomButtons zoom={zoom} whole={1} />
      </PreviewBar>
      <div
        ref={scroller}
        className="preview__pages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        role="document"
        aria-label={visibleText(name)}
        onKeyDown={(event) => onZoomKey(event, zoom)}
      >
        {Array.from({ length: pdf.document.numPages }, (_, index) => index + 1).map((number) => (
          <PdfPage key={number} pdf={pdf} number={number} firstRatio={ratio} zoom={zoom.level} />
        ))}
      </div>
    </div>
  );
}

/** Higher ratios cost memory and look the same. */
const MAX_PIXEL_RATIO = 2;
/** The smallest limit for a canvas among current browsers. */
const MAX_CANVAS_PIXELS = 16_000_000;

interface PdfPageProps {
  pdf: OpenPdf;
  /** from 1 */
  number: number;
  /** aspect ratio of the first page, assumed for this one until it is rendered */
  firstRatio: number;
  /** 1: fits the width */
  zoom: number;
}

/** A page. Rendered near the visible area only, which keeps long documents light. */
function PdfPage({ pdf, number, firstRatio, zoom }: PdfPageProps) {
  const { t } = useLanguage();
  const page = useRef<HTMLDivElement>(null);
  const near = useNear(page);
  const [ratio, setRatio] = useState(firstRatio);
  const [isDrawn, setDrawn] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `zoom`: another size must be rendered again
  useEffect(() => {
    const element = page.current;
    if (!near || !element) return;
    const abort = new AbortController();
    const drawn = drawPage(pdf, number, element, abort.signal).catch(() => undefined);
    void drawn.then((drawnRatio) => {
      if (abort.signal.aborted) return;
      setDrawn(true);
      if (drawnRatio) setRatio(drawnRatio);
    });
    return () => abort.abort();
  }, [pdf, number, near, zoom]);

  useEffect(() => {
    if (near || !page.current) return;
    // Some browsers keep the memory of a removed canvas for a while.
    for (const canvas of page.current.querySelectorAll("canvas")) canvas.width = 0;
    page.current.replaceChildren();
    setDrawn(false);
  }, [near]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: no part of a form
    <div
      ref={page}
      className={isDrawn ? "preview__page" : "preview__page preview__page--waiting"}
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
 * Renders a page at the width of its element, with a text layer over it. The old rendering stays until the new one is ready.
 * @returns the aspect ratio; undefined when aborted
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
    MAX_PIXEL_RATIO,
    Math.sqrt(MAX_CANVAS_PIXELS / (natural.width * natural.height)) / scale,
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
    // Cancelled, or a broken page, which is shown white.
  }
  return signal.aborted ? undefined : natural.width / natural.height;
}
