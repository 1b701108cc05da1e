import type { PDFPageProxy } from "pdfjs-dist";
import type { FilesClient } from "platform-embed-element/client";
import { type CSSProperties, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { visibleText } from "../../../locales/visible-text";
import { type AskPassword, type OpenPdf, openPdf } from "../browse/pictures/open-pdf.client";
import { damagedOrOther } from "../browse/recognize-format";
import type { Refusal } from "../browse/run-worker";
import { contentId } from "../place/content-of";
import type { FileEntry } from "../place/contract/storage-contract.server";
import { shortenText } from "../screen/bounded-text";
import { useLanguage } from "../screen/language";
import { fetchObject } from "./fetch-object";
import { PasswordNote } from "./password-note";
import { PreviewBar, PreviewProblem, PreviewWait, RefusedNote } from "./preview-elements";
import { MAX_PDF_BYTES } from "./preview-plan";
import { useLoaded } from "./use-loaded";
import { onZoomKey, useZoom, ZoomButtons } from "./zoom";

interface PdfPreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/**
 * Rendered by PDF.js: browsers do not run their own viewer in a sandboxed frame, and phones have none.
 */
export function PdfPreview({ file, client }: PdfPreviewProps) {
  const [question, ask] = useState<PasswordQuestion | null>(null);
  const opened = useLoaded(
    async (signal) => {
      const bytes = await fetchObject(client, file, MAX_PDF_BYTES, signal);
      return openOrRefuse(bytes, signal, (isWrong) => new Promise((open) => ask({ isWrong, open })));
    },
    [client, contentId(file), file.etag],
  );
  const pdf = opened.state === "ready" && "pdf" in opened.value ? opened.value.pdf : undefined;
  const isEnded = useSyncExternalStore(
    (onEnd) => {
      pdf?.ended.addEventListener("abort", onEnd);
      return () => pdf?.ended.removeEventListener("abort", onEnd);
    },
    () => pdf?.ended.reason instanceof RangeError,
  );
  if (opened.state === "loading" && question)
    return (
      <PasswordNote
        name={file.name}
        isWrong={question.isWrong}
        onOpen={(password) => {
          ask(null);
          question.open(password);
        }}
      />
    );
  if (opened.state === "loading") return <PageSkeleton />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  if ("refusal" in opened.value) return <RefusedNote name={file.name} refusal={opened.value.refusal} />;
  if (isEnded) return <RefusedNote name={file.name} refusal="too-complex" />;
  return <Pages name={file.name} {...opened.value} />;
}

/** PDF.js waits until a password is entered. It is nowhere but in its memory. */
interface PasswordQuestion {
  isWrong: boolean;
  open(password: string): void;
}

async function openOrRefuse(
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal,
  askPassword: AskPassword,
): Promise<{ pdf: OpenPdf; ratio: number } | { refusal: Refusal }> {
  // PDF.js takes the bytes.
  const refusal = damagedOrOther(bytes, "PDF");
  try {
    const pdf = await openPdf(bytes, signal, askPassword);
    const { info } = await pdf.untilEnded(pdf.document.getMetadata());
    if (isXfaOnly(info)) return { refusal: "form" };
    const { width, height } = pdf.firstPage.getViewport({ scale: 1 });
    return { pdf, ratio: width / height };
  } catch (error) {
    if (error instanceof RangeError) return { refusal: "too-complex" };
    if (!(error instanceof SyntaxError)) throw error;
    return { refusal };
  }
}

/** A form whose fields are only in XFA has one page, which says to wait. `info` has further members than its type. */
function isXfaOnly(info: object): boolean {
  const { IsXFAPresent, IsAcroFormPresent } = info as Record<string, unknown>;
  return IsXFAPresent === true && IsAcroFormPresent === false;
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

/** Further pages are not shown. */
const MAX_PAGES = 10_000;
/** Pages that are put into the document together. */
const GROUP_PAGES = 20;

function Pages({ name, pdf, ratio }: { name: string; pdf: OpenPdf; ratio: number }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const zoom = useZoom(scroller, { least: 0.5, most: 5, wheel: "with-control" });
  /** aspect ratios of pages that have been rendered */
  const [ratios] = useState(() => new Map<number, number>());
  const { numPages } = pdf.document;
  const groups = Math.ceil(Math.min(numPages, MAX_PAGES) / GROUP_PAGES);
  return (
    <div className="preview__zoom">
      <PreviewBar>
        <ZoomButtons zoom={zoom} whole={1} />
      </PreviewBar>
      {numPages > MAX_PAGES && <p className="preview__cut">{t("preview.pagesCut", { pages: MAX_PAGES })}</p>}
      <div
        ref={scroller}
        className="preview__pages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        role="document"
        aria-label={visibleText(name)}
        onKeyDown={(event) => onZoomKey(event, zoom)}
      >
        {Array.from({ length: groups }, (_, group) => (
          <PageGroup
            // biome-ignore lint/suspicious/noArrayIndexKey: the groups never change their places
            key={group}
            pdf={pdf}
            first={group * GROUP_PAGES + 1}
            last={Math.min((group + 1) * GROUP_PAGES, numPages, MAX_PAGES)}
            firstRatio={ratio}
            ratios={ratios}
            zoom={zoom.level}
          />
        ))}
      </div>
    </div>
  );
}

interface PageGroupProps extends Omit<PdfPageProps, "number"> {
  /** numbers of its pages */
  first: number;
  last: number;
}

/** Some pages; as high as they are while they are far away. Thousands of pages would take a browser seconds. */
function PageGroup({ first, last, ...props }: PageGroupProps) {
  const group = useRef<HTMLDivElement>(null);
  const near = useNear(group, "300%");
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const heights = numbers.map((number) => 1 / (props.ratios.get(number) ?? props.firstRatio));
  const style = {
    "--zoom": props.zoom,
    "--pages": numbers.length,
    aspectRatio: 1 / heights.reduce((sum, height) => sum + height, 0),
  } as CSSProperties;
  return (
    <div ref={group}>
      {near ? (
        numbers.map((number) => <PdfPage key={number} number={number} {...props} />)
      ) : (
        <div className="preview__far-pages" style={style} />
      )}
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
  /** by page number, of those that have been rendered */
  ratios: Map<number, number>;
  /** 1: fits the width */
  zoom: number;
}

/** A page. Rendered near the visible area only, which keeps long documents light. */
function PdfPage({ pdf, number, firstRatio, ratios, zoom }: PdfPageProps) {
  const { t } = useLanguage();
  const page = useRef<HTMLDivElement>(null);
  const near = useNear(page, "100%");
  const [ratio, setRatio] = useState(ratios.get(number) ?? firstRatio);
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
      if (!drawnRatio) return;
      setRatio(drawnRatio);
      ratios.set(number, drawnRatio);
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

/** @param margin around the visible area, CSS */
function useNear(page: React.RefObject<HTMLElement>, margin: string): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!page.current) return;
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), {
      root: page.current.closest(".preview__pages"),
      rootMargin: margin,
    });
    observer.observe(page.current);
    return () => observer.disconnect();
  }, [page, margin]);
  return near;
}

/**
 * Renders a page at the width of its element, with a text layer over it. The old rendering stays until the new one is ready.
 * @returns the aspect ratio; undefined when aborted
 */
async function drawPage(
  { document: pdf, TextLayer, untilEnded }: OpenPdf,
  number: number,
  element: HTMLElement,
  signal: AbortSignal,
): Promise<number | undefined> {
  const page = await untilEnded(pdf.getPage(number));
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
    textContentSource: page.streamTextContent().pipeThrough(boundedContent()),
    container: text,
    viewport: page.getViewport({ scale }),
  });
  signal.addEventListener("abort", () => {
    drawing.cancel();
    layer.cancel();
  });
  try {
    await untilEnded(drawing.promise);
    element.replaceChildren(canvas, text);
    await untilEnded(layer.render());
  } catch {
    // Cancelled, or a broken page, which is shown white.
  }
  return signal.aborted ? undefined : natural.width / natural.height;
}

/** Of a page's text layer, which the browser lays out. */
const MAX_TEXT_ITEMS = 20_000;
const MAX_ITEM_LENGTH = 1_000;

type TextContent = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>;

function boundedContent(): TransformStream<TextContent, TextContent> {
  let left = MAX_TEXT_ITEMS;
  return new TransformStream({
    transform(content, controller) {
      const items = content.items.slice(0, left);
      left -= items.length;
      const bounded = items.map((item) =>
        "str" in item ? { ...item, str: shortenText(item.str, MAX_ITEM_LENGTH) } : item,
      );
      controller.enqueue({ ...content, items: bounded });
    },
  });
}
