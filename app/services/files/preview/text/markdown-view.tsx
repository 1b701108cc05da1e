import { createElement, Fragment, type ReactNode } from "react";
import { directionOf } from "../../browse/decode-text";
import { runWorker } from "../../browse/run-worker";
import { useLanguage } from "../../screen/language";
import type { MarkdownResponse } from "./markdown.worker";
import type { MarkdownElement, MarkdownNode } from "./read-markdown";

/** Markdown as React elements. HTML in the file is never parsed. */
export function MarkdownView({ nodes }: { nodes: MarkdownNode[] }) {
  return <div className="markdown">{nodes.map(render)}</div>;
}

function render(node: MarkdownNode, index: number): ReactNode {
  if (typeof node === "string") return <Fragment key={index}>{node}</Fragment>;
  return <Element key={index} {...node} />;
}

function Element({ tag, children, title, start }: MarkdownElement) {
  const { t } = useLanguage();
  const inside = children.map(render);
  switch (tag) {
    // Not clickable: the target is not trustworthy. The title shows the address.
    case "link":
      return (
        <span className="markdown__link" title={title}>
          {inside}
        </span>
      );
    case "image":
      return (
        <span className="markdown__image" title={title}>
          {children.length > 0 && children[0] !== "" ? inside : t("look.image")}
        </span>
      );
    case "done":
    case "open":
      return (
        <span role="img" aria-label={tag === "done" ? t("look.done") : t("look.open")}>
          {tag === "done" ? "☑ " : "☐ "}
        </span>
      );
    case "hr":
    case "br":
      return createElement(tag);
    case "table":
      return (
        <div className="markdown__wide">
          <table>{inside}</table>
        </div>
      );
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      // The file name above is a heading, too.
      return createElement(
        `h${Math.min(Number(tag[1]) + 2, 6)}`,
        { className: `markdown__${tag}`, dir: "auto" },
        ...inside,
      );
    case "p":
      return <p dir="auto">{inside}</p>;
    case "ul":
    case "ol":
    case "blockquote":
      // Bullets and lines are on the side where the text begins.
      return createElement(tag, { start, dir: directionOf(textOf(children)) }, ...inside);
    default:
      return createElement(tag, null, ...inside);
  }
}

const textOf = (nodes: MarkdownNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");

/** A million ordinary characters take a tenth of this. */
const TIMEOUT_MS = 3_000;

/**
 * Parses Markdown in a worker.
 * @returns null if the text takes too long or has too many elements
 * @throws FilesError `failed` if the worker could not be loaded or crashed
 */
export const markdownInWorker = (text: string, signal: AbortSignal) =>
  runWorker<MarkdownResponse>("markdown", text, TIMEOUT_MS, signal);
