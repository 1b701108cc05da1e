import { createElement, Fragment, type ReactNode } from "react";
import { useLanguage } from "../../language";
import { directionOf } from "./direction-of";
import type { MarkdownElement, MarkdownNode } from "./read-markdown";

/** Markdown as React elements of a short list, so that no HTML of a file's is ever parsed. */
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
    // Inert: where a stored text leads to is nobody's promise. Its address can be read.
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
      // The file's name above is a heading too.
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
      // What stands at their edge, bullets or a line, is where their text begins.
      return createElement(tag, { start, dir: directionOf(textOf(children)) }, ...inside);
    default:
      return createElement(tag, null, ...inside);
  }
}

const textOf = (nodes: MarkdownNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : textOf(node.children))).join("");
