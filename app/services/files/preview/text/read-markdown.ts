import { decodeHTMLStrict } from "entities";
import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import { boundTree, shortenText } from "../../screen/bounded-text";

/**
 * Parsed Markdown: text and elements of a fixed list, never HTML. Links and images have no address that could be followed or loaded; `title`
 * shows it.
 */
export interface MarkdownElement {
  tag: MarkdownTag;
  children: MarkdownNode[];
  title?: string;
  /** number of the first item of an ordered list */
  start?: number;
}
export type MarkdownNode = string | MarkdownElement;
type MarkdownTag = (typeof markdownTags)[number];

const markdownTags = [
  ...(["h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "pre", "hr", "br"] as const),
  ...(["ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"] as const),
  ...(["strong", "em", "del", "code", "link", "image", "done", "open"] as const),
] as const;

/** Deeper quotes and lists are shown as text, to limit recursion. */
const MAX_DEPTH = 24;
/** More elements would be slow to scroll. */
const MAX_ELEMENTS = 20_000;
/** A longer text would be slow to lay out, characters. */
const MAX_TEXT_LENGTH = 500_000;
/** Of an address, which is only told. */
const MAX_TITLE_LENGTH = 500;

/** @throws RangeError for too many elements, or too long a text */
export function readMarkdown(text: string): MarkdownNode[] {
  if (text.length > MAX_TEXT_LENGTH) throw new RangeError("The text is too long.");
  const nodes = new MarkdownReader().blocks(Lexer.lex(withoutFrontMatter(text), { gfm: true }), 0);
  return boundTree<MarkdownElement>(nodes);
}

/** Removes front matter: metadata between two lines of dashes. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^---\r?\n(?:[\w-]+:.*\r?\n|[ \t].*\r?\n|- .*\r?\n)+---\r?\n/, "");
}

class MarkdownReader {
  #elements = 0;

  blocks(tokens: readonly Token[], depth: number): MarkdownNode[] {
    return tokens.flatMap((token) => this.#node(token as MarkedToken, depth));
  }

  #node(token: MarkedToken, depth: number): MarkdownNode[] {
    if (depth > MAX_DEPTH) return [token.raw];
    const inside = () => this.blocks(("tokens" in token && token.tokens) || [], depth + 1);
    switch (token.type) {
      case "heading":
        return this.#element(`h${token.depth as 1 | 2 | 3 | 4 | 5 | 6}`, inside());
      case "paragraph":
        return this.#element("p", inside());
      case "blockquote":
      case "strong":
      case "em":
      case "del":
        return this.#element(token.type, inside());
      case "hr":
      case "br":
        return this.#element(token.type, []);
      case "code":
        return this.#element("pre", [token.text]);
      case "codespan":
        return this.#element("code", [token.text]);
      case "list":
        return this.#list(token, depth);
      case "table":
        return this.#table(token, depth);
      case "link":
        return this.#element("link", inside(), token.href);
      case "image":
        return this.#element("image", [decodeHTMLStrict(token.text)], token.href);
      case "escape":
        return [token.text];
      case "text":
        return token.tokens ? inside() : [decodeHTMLStrict(token.text)];
      case "html":
        return this.#html(token);
      default:
        return [];
    }
  }

  /** HTML is never run: a block is shown as text, inline tags are left out. */
  #html({ block, text }: Tokens.HTML | Tokens.Tag): MarkdownNode[] {
    if (/^<br\b/i.test(text)) return this.#element("br", []);
    return block && !text.startsWith("<!--") ? this.#element("pre", [text.trimEnd()]) : [];
  }

  #list({ ordered, start, items }: Tokens.List, depth: number): MarkdownNode[] {
    const children = items.flatMap((item) => {
      const content = this.blocks(
        item.tokens.filter(({ type }) => type !== "checkbox"),
        depth + 1,
      );
      const box = item.task ? this.#element(item.checked ? "done" : "open", []) : [];
      return this.#element("li", [...box, ...content]);
    });
    const [list] = this.#element(ordered ? "ol" : "ul", children);
    return list ? [ordered && start !== "" ? { ...list, start } : list] : [];
  }

  #table({ header, rows }: Tokens.Table, depth: number): MarkdownNode[] {
    const row = (tag: "th" | "td", cells: Tokens.TableCell[]) =>
      this.#element(
        "tr",
        cells.flatMap((cell) => this.#element(tag, this.blocks(cell.tokens, depth + 1))),
      );
    const body = rows.flatMap((cells) => row("td", cells));
    return this.#element("table", [
      ...this.#element("thead", row("th", header)),
      ...this.#element("tbody", body),
    ]);
  }

  #element(tag: MarkdownTag, children: MarkdownNode[], title?: string): MarkdownElement[] {
    if (++this.#elements > MAX_ELEMENTS) throw new RangeError("The text has too many elements.");
    return [
      title === undefined
        ? { tag, children }
        : { tag, children, title: shortenText(title, MAX_TITLE_LENGTH) },
    ];
  }
}
