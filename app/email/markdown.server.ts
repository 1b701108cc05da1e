import { nameToEmoji } from "gemoji";
import {
  Marked,
  type Parser,
  type RendererObject,
  type Token,
  type TokenizerExtension,
  type Tokens,
} from "marked";
import { invalidRequest } from "../app-error";
import { hasShortHost } from "../short-host";
import { escapeHtml } from "./escape-html";
import type { Layout } from "./layout.server";
import { MarkdownLexer } from "./markdown-lexer.server";

/** `:tada:` as 🎉, by GitHub's names; a word between colons that is no such name stays as it is. */
const emojiShortcode: TokenizerExtension = {
  name: "emoji",
  level: "inline",
  start(source) {
    return this.lexer instanceof MarkdownLexer ? this.lexer.nextShortcode(source) : undefined;
  },
  tokenizer(source) {
    const [raw, name = ""] = /^:([a-z0-9+_-]{1,50}):/.exec(source) ?? [];
    if (raw === undefined || !Object.hasOwn(nameToEmoji, name)) return undefined;
    return { type: "text", raw, text: nameToEmoji[name] };
  },
};

const syntax = {
  gfm: true,
  // A line break in the input is one in the e-mail.
  breaks: true,
  extensions: [emojiShortcode],
};

const reader = new Marked(syntax);

/** The address when a link may lead there (http, https, mailto), else null. */
function allowedHref(href: string): string | null {
  if (!hasShortHost(href) || !URL.canParse(href)) return null;
  const { protocol } = new URL(href);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? href : null;
}

const checkbox = ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ ");

/** Writes HTML with its styles already inlined: nothing that a user wrote goes through juice. */
function htmlRenderer(layout: Layout): RendererObject {
  const link = (href: string, content: string) => {
    const allowed = allowedHref(href);
    return allowed === null ? content : layout.link({ href: escapeHtml(allowed), content });
  };
  return {
    space: () => "",
    heading({ tokens }) {
      return layout.heading({ content: this.parser.parseInline(tokens) });
    },
    paragraph({ tokens }) {
      return layout.paragraph({ content: this.parser.parseInline(tokens) });
    },
    blockquote({ tokens }) {
      return layout.quote({ content: this.parser.parse(tokens) });
    },
    list({ ordered, start, items }) {
      const content = items.map((item) => this.listitem(item)).join("");
      return ordered
        ? layout.orderedList({ start: String(start || 1), content })
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
    link({ href, tokens }) {
      return link(href, this.parser.parseInline(tokens));
    },
    // A picture in the text would be loaded from anywhere; its address is offered instead.
    image: ({ href, text }) => link(href, escapeHtml(text || href)),
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
  return `${this.parser.parseInline(tokens)}\n\n`;
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
      const mark = ordered ? `${Number(start || 1) + index}. ` : "- ";
      return `${mark}${indented(this.listitem(item).trimEnd(), mark)}\n`;
    });
    return `${lines.join("")}\n`;
  },
  listitem({ tokens }) {
    return tokens
      .map((token) => this.parser.parse([token]) + (token.type === "checkbox" ? "" : "\n"))
      .join("")
      .replace(/\n{2,}/g, "\n");
  },
  checkbox,
  code: ({ text }) => `${text}\n\n`,
  codespan: ({ text }) => text,
  hr: () => "---\n\n",
  strong: plain,
  em: plain,
  del: plain,
  br: () => "\n",
  link({ href, tokens }) {
    return withAddress(this.parser.parseInline(tokens), href);
  },
  image: ({ href, text }) => withAddress(text, href),
  text(token) {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : token.text;
  },
};

function withAddress(text: string, href: string): string {
  const allowed = allowedHref(href);
  if (allowed === null) return text;
  const shown = allowed.replace(/^mailto:/, "");
  return text === "" || text === shown || `http://${text}` === allowed ? shown : `${text} (${shown})`;
}

const textWriter = new Marked(syntax, { renderer: textRenderer });

/** Half a surrogate pair is no character: no e-mail could hold it, and marked's patterns take ten times as long over it. */
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, "\ufffd");

export type MarkdownRenderer = (markdown: string) => { html: string; text: string };

/**
 * Renders Markdown in the styles of `layout`, and as plain text. HTML in it is shown as text; links lead to http, https and
 * mailto addresses only.
 * @throws AppError `invalid_request` when quotes and lists are nested too deeply, or the text costs too much work to read
 */
export function createMarkdownRenderer(layout: Layout): MarkdownRenderer {
  const htmlWriter = new Marked(syntax, { renderer: htmlRenderer(layout) });
  return (markdown) => {
    try {
      const tokens = new MarkdownLexer(reader.defaults).lex(wellFormed(markdown));
      return { html: htmlWriter.parser(tokens), text: textWriter.parser(tokens).trimEnd() };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw invalidRequest([{ path: "description", message: "nests quotes or lists too deeply" }]);
    }
  };
}
