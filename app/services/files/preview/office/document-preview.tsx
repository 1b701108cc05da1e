import type { FilesClient } from "platform-embed-element/client";
import { createElement, Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { visibleText } from "../../../../locales/visible-text";
import { directionOf } from "../../browse/decode-text";
import { damagedOrOther } from "../../browse/recognize-format";
import { runWorker } from "../../browse/run-worker";
import { contentId } from "../../place/content-of";
import type { FileEntry } from "../../place/contract/storage-contract.server";
import { useLanguage } from "../../screen/language";
import { scrollInside } from "../../screen/scroll-inside";
import { fetchObject } from "../fetch-object";
import { PreviewProblem, PreviewWait, RefusedNote } from "../preview-elements";
import { MAX_OFFICE_BYTES } from "../preview-plan";
import { useLoaded } from "../use-loaded";
import type { DocumentResponse } from "./document.worker";
import type { DocumentElement, DocumentImage, DocumentNode, WordDocument } from "./read-document";

/** A document of two hundred pages takes a sixth of this on a busy machine. */
const TIMEOUT_MS = 30_000;

interface DocumentPreviewProps {
  file: FileEntry;
  client: FilesClient;
}

/** A Word document, as React elements: no HTML of the file is ever in the page. */
export function DocumentPreview({ file, client }: DocumentPreviewProps) {
  const opened = useLoaded(
    async (signal) => {
      const bytes = await fetchObject(client, file, MAX_OFFICE_BYTES, signal);
      const response = await runWorker<DocumentResponse>("document", bytes, TIMEOUT_MS, signal);
      if (response === null) return { refusal: "too-complex" as const };
      const isDamaged = "refusal" in response && response.refusal === "damaged";
      return isDamaged ? { refusal: damagedOrOther(bytes, "Word") } : response;
    },
    [client, contentId(file), file.etag],
  );
  if (opened.state === "loading") return <PreviewWait />;
  if (opened.state === "failed") return <PreviewProblem name={file.name} problem={opened.problem} />;
  if ("refusal" in opened.value) return <RefusedNote name={file.name} refusal={opened.value.refusal} />;
  return <Paper name={file.name} document={opened.value.document} />;
}

function Paper({ name, document: { nodes, images, cut } }: { name: string; document: WordDocument }) {
  const { t } = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const urls = useImageUrls(images);
  const onOpenPlace = (id: string) => {
    const place = scroller.current?.querySelector<HTMLElement>(`[data-place="${CSS.escape(id)}"]`);
    scrollInside(place, "start");
    place?.focus({ preventScroll: true });
  };
  return (
    <div className="preview__text">
      {cut && <p className="preview__cut">{t("preview.documentCut")}</p>}
      <section
        ref={scroller}
        className="preview__scroll document"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard
        tabIndex={0}
        aria-label={visibleText(name)}
      >
        {nodes.length === 0 ? (
          <p className="document__empty">{t("preview.noText")}</p>
        ) : (
          <div className="document__page markdown">
            <Nodes nodes={nodes} urls={urls} onOpenPlace={onOpenPlace} />
          </div>
        )}
      </section>
    </div>
  );
}

function useImageUrls(images: DocumentImage[]): string[] {
  const [urls, setUrls] = useState<string[]>([]);
  useEffect(() => {
    const made = images.map(({ type, bytes }) => URL.createObjectURL(new Blob([bytes], { type })));
    setUrls(made);
    return () => {
      for (const url of made) URL.revokeObjectURL(url);
    };
  }, [images]);
  return urls;
}

interface NodesProps {
  nodes: DocumentNode[];
  /** of the images, by their index */
  urls: string[];
  /** leads to a place in the document */
  onOpenPlace(id: string): void;
}

function Nodes({ nodes, ...rest }: NodesProps): ReactNode {
  return nodes.map((node, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the nodes never change their places
    if (typeof node === "string") return <Fragment key={index}>{node}</Fragment>;
    return <Element key={index} {...node} {...rest} />;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: the nodes never change their places
  });
}

function Element({
  tag,
  children,
  id,
  href,
  image,
  alt,
  columns,
  rows,
  align,
  indent,
  ...rest
}: DocumentElement & Omit<NodesProps, "nodes">) {
  const { t } = useLanguage();
  const inside = <Nodes nodes={children} {...rest} />;
  /** where a link of the document leads to */
  const place: Place = id === undefined ? {} : { "data-place": id, tabIndex: -1 };
  switch (tag) {
    case "a":
      return (
        <Link href={href} onOpenPlace={rest.onOpenPlace} place={place}>
          {inside}
        </Link>
      );
    case "img":
      if (image === undefined) return <span className="markdown__image">{alt || t("look.image")}</span>;
      return <img src={rest.urls[image]} alt={alt ?? ""} decoding="async" draggable={false} />;
    case "br":
    case "hr":
      return createElement(tag);
    case "table":
      return (
        // Its first column is on the side where the text begins.
        <div className="markdown__wide" dir={directionOf(textOf(children))}>
          <table>{inside}</table>
        </div>
      );
    case "th":
    case "td":
      return createElement(tag, { colSpan: columns, rowSpan: rows, ...place }, inside);
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      // The file name above is a heading, too.
      return createElement(
        `h${Math.min(Number(tag[1]) + 2, 6)}`,
        { className: classesOf(`markdown__${tag}`, align), dir: "auto", ...place },
        inside,
      );
    case "p":
      return (
        <p
          dir="auto"
          className={classesOf("", align)}
          // On a narrow screen, an indentation of inches would leave no room for the text.
          style={
            indent === undefined
              ? undefined
              : { paddingInlineStart: `min(${indent * INDENT_REM}rem, ${indent * 4}%)` }
          }
          {...place}
        >
          {inside}
        </p>
      );
    case "ul":
    case "ol":
      // Bullets are on the side where the text begins.
      return createElement(tag, { dir: directionOf(textOf(children)), ...place }, inside);
    default:
      return createElement(tag, place, inside);
  }
}

/** A quarter of an inch. */
const INDENT_REM = 1.5;

const classesOf = (own: string, align: DocumentElement["align"]) =>
  [own, align && `document__${align}`].filter(Boolean).join(" ") || undefined;

const textOf = (nodes: DocumentNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");

interface Place {
  "data-place"?: string;
  tabIndex?: number;
}

interface LinkProps {
  href: string | undefined;
  onOpenPlace(id: string): void;
  place: Place;
  children: ReactNode;
}

/** Opens in a new tab, which cannot reach this one; the title shows where it leads. */
function Link({ href, onOpenPlace, place, children }: LinkProps) {
  if (href === undefined) return <span {...place}>{children}</span>;
  if (href.startsWith("#"))
    return (
      <button
        type="button"
        className="document__link"
        {...place}
        tabIndex={0}
        onClick={() => onOpenPlace(href.slice(1))}
      >
        {children}
      </button>
    );
  return (
    <a
      className="document__link"
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer"
      {...place}
      tabIndex={0}
    >
      {children}
    </a>
  );
}
