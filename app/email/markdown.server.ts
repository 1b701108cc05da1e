import { nameToEmoji } from "gemoji";
import {
  Marked,
  type Parser,
  type RendererObject,
  type Token,
  Tokenizer,
  type TokenizerExtension,
  type Tokens,
} from "marked";
import { hasShortHost } from "../embed/origin";
import { escapeHtml } from "./escape-html";
import { fill, type Template } from "./template";
import { hasPlaceholder, isWholeAddress, placePlaceholders } from "./variables.server";

/** The HTML of Markdown elements in an e-mail, with the theme's styles. */
export interface MarkdownTemplates {
  heading: Template<"content">;
  paragraph: Template<"content">;
  orderedList: Template<"start" | "content">;
  unorderedList: Template<"content">;
  item: Template<"content">;
  quote: Template<"content">;
  codeBlock: Template<"content">;
  code: Template<"content">;
  rule: Template;
  link: Template<"href" | "content">;
  table: Template<"content">;
  headCell: Template<"align" | "content">;
  cell: Template<"align" | "content">;
  /** where lines begin */
  start: "left" | "right";
}

export interface MarkdownTask {
  markdown: string;
  /** of the request, to name it in errors */
  member: string;
  templates: MarkdownTemplates;
}

export interface RenderedMarkdown {
  html: string;
  text: string;
}

/**
 * Renders Markdown as HTML and as plain text. HTML in it is shown as text; links lead to http, https, mailto and tel addresses
 * only, and any other address is shown. Some texts take more than a minute: `markdown-pool.server.ts` sets a limit.
 * @throws RangeError when quotes, lists or emphasis are nested too deeply
 */
export function renderMarkdown({ markdown, templates }: Omit<MarkdownTask, "member">): RenderedMarkdown {
  // Replace lone surrogates: they cannot be encoded.
  const tokens = reader.lexer(markdown.toWellFormed());
  return {
    html: new Marked({ renderer: htmlRenderer(templates) }).parser(tokens),
    text: textWriter.parser(tokens).trimEnd(),
  };
}

/**
 * A shortcode next to one of these is left alone: it is part of a word, a number or an address. Chinese and Japanese letters are
 * not among them, because these languages put no spaces around a word.
 */
const partOfWord =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{N}_/@:.-]/u;

/** `:tada:` becomes 🎉, by GitHub's names. Other words between colons stay as they are, and so does `a:b:c`. */
const emojiShortcode: TokenizerExtension = {
  name: "emoji",
  level: "inline",
  start: (source) => source.match(/:[a-z0-9+_-]+:/)?.index,
  tokenizer(source, tokens) {
    const [raw, name = ""] = /^:([a-z0-9+_-]{1,50}):/.exec(source) ?? [];
    if (raw === undefined || !Object.hasOwn(nameToEmoji, name)) return undefined;
    const before = tokens.at(-1);
    const last =
      before && "text" in before && before.type === "text" ? String(before.text).at(-1) : undefined;
    const next = source.at(raw.length);
    if (last !== undefined && partOfWord.test(last)) return undefined;
    if (next !== undefined && next !== ":" && next !== "." && partOfWord.test(next)) return undefined;
    return { type: "text", raw, text: nameToEmoji[name] };
  },
};

/** The scripts of Chinese, Japanese and Korean, with their punctuation. */
const cjk =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]/u;

/**
 * Bold text that CommonMark leaves as asterisks. CommonMark tells by the spaces and punctuation around `**` whether it opens or
 * closes, which fails in languages without spaces: in `**重要：**本日` the second `**` stands between punctuation and a letter. Here
 * the next `**` closes where Chinese, Japanese or Korean is on either side of one of them.
 * @param masked the whole text, in which code and addresses are masked, as marked hands it over
 */
function boldInCjk(
  { lexer }: Pick<Tokenizer, "lexer">,
  source: string,
  masked: string,
  previous: string,
): Tokens.Strong | undefined {
  if (!/^\*\*[^\s*]/.test(source)) return undefined;
  const end = masked.slice(-source.length).indexOf("**", 3);
  if (end === -1 || /\s/.test(source[end - 1] ?? "")) return undefined;
  const around = [previous, source[2], source[end - 1], source[end + 2]];
  if (!around.some((character) => character !== undefined && cjk.test(character))) return undefined;
  const text = source.slice(2, end);
  return { type: "strong", raw: source.slice(0, end + 2), text, tokens: lexer.inlineTokens(text) };
}

/** A web address that is not in brackets. */
const bareAddress = /(?:https?:\/\/|www\.)[^\s<]+/gi;

/** In an address, an underscore or asterisk ends no emphasis, except at its end. */
const maskAddresses = (text: string) =>
  text.replace(bareAddress, (address) =>
    address.replace(/[*_]+(?=[^\s*_])/g, (marks) => "a".repeat(marks.length)),
  );

/**
 * A bare address with the underscores at its end, which GitHub leaves out of the link. A token in an address often ends with one. An
 * underscore that closes emphasis has been taken before.
 */
function withLastUnderscores(link: Tokens.Link | undefined, source: string): Tokens.Link | undefined {
  if (!link || !/^(?:https?:\/\/|www\.)[^/?#]+[/?#]/i.test(link.raw)) return link;
  const [end = ""] = /^_+(?![^\s<>()[\]"'.,:;!?*~])/.exec(source.slice(link.raw.length)) ?? [];
  const text = link.text + end;
  return {
    ...link,
    raw: link.raw + end,
    text,
    href: link.href + end,
    tokens: [{ type: "text", raw: text, text }],
  };
}

/** Columns of a table. Without a limit, short rows below a long first line would become millions of empty cells. */
const MAX_COLUMNS = 20;

/** Tells marked not to parse this syntax. */
const notMarkdown = () => undefined;

const reader = new Marked({
  gfm: true,
  breaks: true,
  extensions: [emojiShortcode],
  tokenizer: {
    // HTML is text like any other.
    html: notMarkdown,
    tag: notMarkdown,
    table(source) {
      const [head = ""] = source.split("\n", 1);
      return head.split("|").length > MAX_COLUMNS + 2
        ? undefined
        : Tokenizer.prototype.table.call(this, source);
    },
    // References such as &#8211; are text, as all other HTML. Where marked reads one, it also escapes each & beside it.
    inlineText(source) {
      const token = Tokenizer.prototype.inlineText.call(this, source);
      return token && { ...token, text: token.raw };
    },
    // People indent for looks. For code there are fences.
    code: notMarkdown,
    emStrong(source, masked, previous = "") {
      const token = Tokenizer.prototype.emStrong.call(this, source, masked, previous);
      return token ?? boldInCjk(this, source, masked, previous);
    },
    url(source) {
      return withLastUnderscores(Tokenizer.prototype.url.call(this, source), source);
    },
  },
  hooks: { emStrongMask: maskAddresses },
});

/** The address if a link may lead there (http, https, mailto, tel), otherwise null. Without a protocol, `www.` is https. */
function allowedHref(href: string): string | null {
  const address = placePlaceholders(/^www\./i.test(href) ? `https://${href}` : href);
  if (isWholeAddress(address)) return address;
  if (/^tel:/i.test(href))
    return /^tel:[\d+*#(). -]+$/i.test(href) ? href.replace(/[^a-z\d+*#:]/gi, "") : null;
  if (!hasShortHost(address) || !URL.canParse(address)) return null;
  if (/^(?:https?|mailto):/i.test(address)) return address;
  // A URL parser leaves out some characters, also before and in the protocol.
  const { protocol } = new URL(address);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? address : null;
}

/** The address as it was written: marked puts `http://` before a bare `www.x.example`. */
const hrefOf = ({ href, raw }: Tokens.Link) => (href === `http://${raw}` ? raw : href);

/** An address that is its own text. Variables in it are then encoded in both. */
const isBareAddress = ({ raw, text }: Tokens.Link) => raw === text || raw === `<${text}>`;

/** Columns that a phone has room for. The rows of a wider table are shown below each other, with the heading before each cell. */
const MAX_COLUMNS_SIDE_BY_SIDE = 4;

const checkbox = ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ ");

function htmlRenderer(templates: MarkdownTemplates): RendererObject {
  /** An image inside a link does not become a link of its own. */
  let isInLink = false;
  const link = (href: string, content: string) => {
    const allowed = allowedHref(href);
    // No link may lead there, but people should see the address.
    if (allowed === null) return withAddress(content, escapeHtml(placePlaceholders(href)));
    return fill(templates.link, { href: escapeHtml(allowed), content });
  };
  return {
    space: () => "",
    heading({ tokens }) {
      return fill(templates.heading, { content: this.parser.parseInline(tokens) });
    },
    paragraph({ tokens }) {
      return fill(templates.paragraph, { content: this.parser.parseInline(tokens).trimStart() });
    },
    blockquote({ tokens }) {
      return fill(templates.quote, { content: this.parser.parse(tokens) });
    },
    list({ ordered, start, items }) {
      const content = items.map((item) => this.listitem(item)).join("");
      return ordered
        ? fill(templates.orderedList, { start: String(start === "" ? 1 : start), content })
        : fill(templates.unorderedList, { content });
    },
    listitem({ tokens }) {
      return fill(templates.item, { content: this.parser.parse(tokens) });
    },
    checkbox,
    code: ({ text }) => fill(templates.codeBlock, { content: escapeHtml(text) }),
    codespan: ({ text }) => fill(templates.code, { content: escapeHtml(text) }),
    hr: () => fill(templates.rule, {}),
    table({ header, rows }) {
      const inline = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
      if (header.length > MAX_COLUMNS_SIDE_BY_SIDE) {
        const headings = header.map((cell) => `<strong>${inline(cell)}</strong>`);
        return rows
          .map((row) => withHeadings(headings, row.map(inline), " ").join("<br>"))
          .map((content) => fill(templates.paragraph, { content }))
          .join("");
      }
      const rowOf = (cells: Tokens.TableCell[], template: Template<"align" | "content">) =>
        `<tr>${cells.map((cell) => fill(template, { align: cell.align ?? templates.start, content: inline(cell) })).join("")}</tr>`;
      const content =
        rowOf(header, templates.headCell) + rows.map((row) => rowOf(row, templates.cell)).join("");
      return fill(templates.table, { content });
    },
    strong({ tokens }) {
      return `<strong>${this.parser.parseInline(tokens)}</strong>`;
    },
    em({ tokens }) {
      return `<em>${this.parser.parseInline(tokens)}</em>`;
    },
    del({ tokens }) {
      return `<s>${this.parser.parseInline(tokens)}</s>`;
    },
    br: () => "<br>",
    link(token) {
      if (isBareAddress(token)) return link(hrefOf(token), escapeHtml(placePlaceholders(token.text)));
      isInLink = true;
      const content = this.parser.parseInline(token.tokens);
      isInLink = false;
      return link(hrefOf(token), content);
    },
    // An image would be loaded from anywhere, so its address becomes a link instead.
    image: ({ href, text }) => (isInLink ? escapeHtml(text || href) : link(href, escapeHtml(text || href))),
    text(token) {
      return "tokens" in token && token.tokens
        ? this.parser.parseInline(token.tokens)
        : escapeHtml(token.text);
    },
  };
}

/** The cells of a row that have content, each with the heading of its column before it. */
function withHeadings(headings: readonly string[], cells: readonly string[], separator: string): string[] {
  return cells.flatMap((cell, column) => {
    const heading = headings[column] ?? "";
    if (cell === "") return [];
    return /^(<strong><\/strong>)?$/.test(heading) ? [cell] : [heading + separator + cell];
  });
}

/** characters of a line of text, of which Chinese, Japanese and Korean ones are twice as wide */
const MAX_LINE_WIDTH = 72;
const widthOf = (text: string) =>
  Array.from(text).reduce((width, character) => width + (cjk.test(character) ? 2 : 1), 0);

/** A table with its columns below each other. The rows of one that is too wide, or whose widths are not known, are lists. */
function plainTable(aligns: readonly Tokens.TableCell["align"][], [head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => widthOf(row[column] ?? ""))),
  );
  const width = widths.reduce((sum, next) => sum + next + 2, -2);
  if (width > MAX_LINE_WIDTH || rows.flat().some(hasPlaceholder))
    return rows.map((row) => `${withHeadings(head, row, ": ").join("\n")}\n\n`).join("");
  const lineOf = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const padding = " ".repeat((widths[column] ?? 0) - widthOf(cell));
        return aligns[column] === "right" ? padding + cell : cell + padding;
      })
      .join("  ")
      .trimEnd();
  return `${[head, widths.map((count) => "-".repeat(count)), ...rows].map(lineOf).join("\n")}\n\n`;
}

const indented = (text: string, by: string) => text.replace(/\n(?=.)/g, `\n${" ".repeat(by.length)}`);

/** Bold, italics and the like: their text alone. */
function plain(this: { parser: Parser }, { tokens }: { tokens: Token[] }): string {
  return this.parser.parseInline(tokens);
}

function plainBlock(this: { parser: Parser }, { tokens }: { tokens: Token[] }): string {
  return `${this.parser.parseInline(tokens).trimStart()}\n\n`;
}

const textRenderer: RendererObject = {
  space: () => "",
  heading: plainBlock,
  paragraph: plainBlock,
  blockquote({ tokens }) {
    return `${this.parser.parse(tokens).trimEnd().replace(/^/gm, "> ")}\n\n`;
  },
  list({ ordered, start, items }) {
    const lines = items.map((item, index) => {
      const mark = ordered ? `${(start === "" ? 1 : start) + index}. ` : "- ";
      return `${mark}${indented(this.listitem(item).trimEnd(), mark)}\n`;
    });
    return `${lines.join("")}\n`;
  },
  listitem({ tokens }) {
    let text = "";
    for (const token of tokens) text += this.parser.parse([token]) + (token.type === "checkbox" ? "" : "\n");
    return text.replace(/\n{2,}/g, "\n");
  },
  checkbox,
  code: ({ text }) => `${text}\n\n`,
  table({ header, rows }) {
    const textsOf = (cells: Tokens.TableCell[]) =>
      cells.map(({ tokens }) => this.parser.parseInline(tokens).replaceAll("\n", " "));
    const aligns = header.map(({ align }) => align);
    return plainTable(aligns, [header, ...rows].map(textsOf));
  },
  codespan: ({ text }) => text,
  hr: () => "---\n\n",
  strong: plain,
  em: plain,
  // Without the marks, struck-out text would read as valid.
  del({ tokens }) {
    return `~~${this.parser.parseInline(tokens)}~~`;
  },
  br: () => "\n",
  link(token) {
    const href = hrefOf(token);
    const text = isBareAddress(token) ? placePlaceholders(token.text) : this.parser.parseInline(token.tokens);
    const shown = allowedHref(href) ?? placePlaceholders(href);
    return withAddress(text, shown.replace(/^(mailto|tel):/i, ""));
  },
  image: ({ href, text }) => withAddress(text, placePlaceholders(href)),
  text(token) {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : token.text;
  },
};

/** The text, followed by the address unless the text is the address. */
function withAddress(text: string, address: string): string {
  if (text === "" || text === address || `https://${text}` === address) return address;
  return `${text} (${address})`;
}

const textWriter = new Marked({ renderer: textRenderer });
