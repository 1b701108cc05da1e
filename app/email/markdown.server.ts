import { nameToEmoji } from "gemoji";
import {
  Marked,
  Parser,
  Renderer,
  type RendererObject,
  type Token,
  type TokenizerExtension,
  type Tokens,
} from "marked";
import { invalidRequest } from "../app-error";
import { hasShortHost } from "../short-host";
import { escapeHtml } from "./escape-html";
import type { Layout } from "./layout.server";
import { hasCjk } from "./markdown-cjk.server";
import { MarkdownLexer } from "./markdown-lexer.server";

/** What a shortcode does not stand in: a word, a number, an address. Chinese and Japanese have no spaces to keep around it. */
const inWord =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{N}_/@:.-]/u;

/** `:tada:` as 🎉, by GitHub's names; a word between colons that is no such name stays as it is, and so does `a:b:c`. */
const emojiShortcode: TokenizerExtension = {
  name: "emoji",
  level: "inline",
  start(source) {
    return this.lexer instanceof MarkdownLexer ? this.lexer.nextShortcode(source) : undefined;
  },
  tokenizer(source, tokens) {
    const [raw, name = ""] = /^:([a-z0-9+_-]{1,50}):/.exec(source) ?? [];
    if (raw === undefined || !Object.hasOwn(nameToEmoji, name)) return undefined;
    const before = tokens.at(-1);
    // Of another emoji the text ends in none of these.
    const last =
      before && "text" in before && before.type === "text" ? String(before.text).at(-1) : undefined;
    const next = source.at(raw.length);
    if (last !== undefined && inWord.test(last)) return undefined;
    if (next !== undefined && next !== ":" && next !== "." && inWord.test(next)) return undefined;
    return { type: "text", raw, text: nameToEmoji[name] };
  },
};

/** As marked wants them, by their levels. */
const { extensions } = new Marked({ extensions: [emojiShortcode] }).defaults;

/** Where the links of one text may lead. Writing is synchronous, so there is one at a time; both of its parts ask. */
const allowedHrefs = new Map<string, string | null>();

/** The address when a link may lead there (http, https, mailto, tel), else null. Without a protocol, `www.` is https. */
function allowedHref(href: string): string | null {
  let allowed = allowedHrefs.get(href);
  if (allowed === undefined) {
    allowed = judgeHref(href);
    allowedHrefs.set(href, allowed);
  }
  return allowed;
}

function judgeHref(href: string): string | null {
  const address = /^www\./i.test(href) ? `https://${href}` : href;
  if (/^tel:/i.test(href))
    return /^tel:[\d+*#(). -]+$/i.test(href) ? href.replace(/[^a-z\d+*#:]/gi, "") : null;
  if (!hasShortHost(address) || !URL.canParse(address)) return null;
  if (/^(?:https?|mailto):/i.test(address)) return address;
  // What a parser leaves out may be before or in the protocol.
  const { protocol } = new URL(address);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? address : null;
}

/** marked takes a bare `www.x.example` for http; a link that is written out says itself what it is. */
const hrefOf = ({ href, raw }: Tokens.Link) => (href === `http://${raw}` ? raw : href);

const checkbox = ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ ");

/** Writes HTML with its styles already inlined: nothing that a user wrote goes through juice. */
function htmlRenderer(layout: Layout): RendererObject {
  /** A picture inside of a link is no link of its own. */
  let isInLink = false;
  const link = (href: string, content: string) => {
    const allowed = allowedHref(href);
    // An address that no link may lead to is not lost.
    if (allowed === null) return withAddress(content, escapeHtml(href));
    return layout.link({ href: escapeHtml(allowed), content });
  };
  return {
    space: () => "",
    heading({ tokens }) {
      return layout.heading({ content: this.parser.parseInline(tokens) });
    },
    paragraph({ tokens }) {
      return layout.paragraph({ content: this.parser.parseInline(tokens).trimStart() });
    },
    blockquote({ tokens }) {
      return layout.quote({ content: this.parser.parse(tokens) });
    },
    list({ ordered, start, items }) {
      const content = items.map((item) => this.listitem(item)).join("");
      return ordered
        ? layout.orderedList({ start: String(start === "" ? 1 : start), content })
        : layout.unorderedList({ content });
    },
    listitem({ tokens }) {
      return layout.item({ content: this.parser.parse(tokens) });
    },
    checkbox,
    code: ({ text }) => layout.block({ content: escapeHtml(text) }),
    codespan: ({ text }) => layout.code({ content: escapeHtml(text) }),
    hr: () => layout.rule({}),
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
      isInLink = true;
      const content = this.parser.parseInline(token.tokens);
      isInLink = false;
      return link(hrefOf(token), content);
    },
    // A picture in the text would be loaded from anywhere; its address is offered instead.
    image: ({ href, text }) => (isInLink ? escapeHtml(text || href) : link(href, escapeHtml(text || href))),
    text(token) {
      return "tokens" in token && token.tokens
        ? this.parser.parseInline(token.tokens)
        : escapeHtml(token.text);
    },
  };
}

const indented = (text: string, by: string) => text.replace(/\n(?=.)/g, `\n${" ".repeat(by.length)}`);

/** Bold, italics and the like, as the text that they hold. */
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
  // Without the line through it, it would say the opposite.
  del({ tokens }) {
    return `~~${this.parser.parseInline(tokens)}~~`;
  },
  br: () => "\n",
  link(token) {
    const href = hrefOf(token);
    const text = this.parser.parseInline(token.tokens);
    return withAddress(text, (allowedHref(href) ?? href).replace(/^(mailto|tel):/i, ""));
  },
  image: ({ href, text }) => withAddress(text, href),
  text(token) {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : token.text;
  },
};

/** The address follows the text, unless the text is the address. */
function withAddress(text: string, address: string): string {
  if (text === "" || text === address || `https://${text}` === address) return address;
  return `${text} (${address})`;
}

/** Writes what was read, as often as is wanted: a parser keeps nothing of it. */
const writer = (renderer: RendererObject) =>
  new Parser({ renderer: Object.assign(new Renderer(), renderer) });

const textWriter = writer(textRenderer);

/** Half a surrogate pair is no character: no e-mail could hold it, and marked's patterns take ten times as long over it. */
const wellFormed = (text: string) => text.toWellFormed();

export type MarkdownRenderer = (markdown: string) => { html: string; text: string };

/**
 * Renders Markdown in the styles of `layout`, and as plain text. HTML in it is shown as text; links lead to http, https,
 * mailto and tel addresses only; any other address is shown.
 * @throws AppError `invalid_request` when quotes and lists are nested too deeply, or the text costs too much work to read
 */
export function createMarkdownRenderer(layout: Layout): MarkdownRenderer {
  const htmlWriter = writer(htmlRenderer(layout));
  return (markdown) => {
    try {
      const given = wellFormed(markdown);
      const tokens = new MarkdownLexer({ extensions, cjk: hasCjk(given) }).lex(given);
      return { html: htmlWriter.parse(tokens), text: textWriter.parse(tokens).trimEnd() };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw invalidRequest([{ path: "description", message: "nests quotes or lists too deeply" }]);
    } finally {
      allowedHrefs.clear();
    }
  };
}
