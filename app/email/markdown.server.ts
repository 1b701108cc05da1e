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
import { isWholeAddress, placePlaceholders } from "./variables.server";

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
    // A table would need more room than a phone has.
    table: notMarkdown,
    // People indent for looks. For code there are fences.
    code: notMarkdown,
    emStrong(source, masked, previous = "") {
      const token = Tokenizer.prototype.emStrong.call(this, source, masked, previous);
      return token ?? boldInCjk(this, source, masked, previous);
    },
  },
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
