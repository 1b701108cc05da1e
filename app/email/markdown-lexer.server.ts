import {
  Lexer,
  type MarkedOptions,
  type Rules,
  type Token,
  Tokenizer,
  type Tokens,
  type TokensList,
} from "marked";
import { boldBetweenCjk } from "./markdown-cjk.server";
import { costOfNestedMarkers, occurrences } from "./markdown-costs.server";
import {
  meteredRulesOf,
  PER_BLOCK,
  PER_LINE,
  PER_RUN,
  spend,
  startWork,
  tooMuch,
} from "./markdown-metering.server";

/**
 * Reads Markdown with marked, and counts the work while it does. Several of marked's patterns look at the rest of a paragraph again
 * for every `*`, `[` or `<` in it, so that 20,000 characters can cost seconds. Here every pattern pays for the characters that it
 * may have looked at (markdown-metering.server.ts), and what costs too much is refused. The result is marked's, to the byte, but for
 * what is left out or read otherwise in `MeteredTokenizer`: only the counting is ours.
 * docs/decisions/0044-input-is-bounded-by-work.md
 */

/** Levels of quotes and lists in each other, and of bold, italics and links. */
export const MAX_BLOCK_DEPTH = 16;
export const MAX_INLINE_DEPTH = 32;

const TOO_DEEP = "nests quotes or lists too deeply";

/** Made of the first lexer's: marked shows its other patterns nowhere else. */
let meteredRules: Rules | undefined;

const MANY_SPACES = " ".repeat(16);
const LIST_START = /^ {0,3}(?:[*+-]|\d{1,9}[.)])[ \t]/;

class MeteredTokenizer extends Tokenizer {
  /** Goes through its lines with a dozen patterns each; and a quote puts its rest together again for each list in it. */
  override list(markdown: string): Tokens.List | undefined {
    if (LIST_START.test(markdown)) spend(costOfNestedMarkers(markdown));
    const list = super.list(markdown);
    if (list)
      spend(
        PER_BLOCK + 2 * markdown.length + 2 * list.raw.length + 1.4 * PER_LINE * occurrences(list.raw, "\n"),
      );
    return list;
  }

  // Who begins a line with spaces wants room before it, not a program: for that there are fences.
  override code(): undefined {}
  // HTML is text like any other. A table would need more room than a phone has.
  override html(): undefined {}
  override tag(): undefined {}
  override table(): undefined {}
}

/** For texts in Chinese, Japanese or Korean alone: marked takes more pains once `emStrong` is another. */
class CjkTokenizer extends MeteredTokenizer {
  override emStrong(source: string, masked: string, previous = "") {
    const read = super.emStrong(source, masked, previous);
    return read ?? boldBetweenCjk(this.lexer, source, masked, previous, spend);
  }
}

/** marked's lexer for `gfm` and `breaks`, with an end to its work, and without HTML, tables and code by indentation. */
export class MarkdownLexer extends Lexer {
  /** The text itself is no level. */
  #blockDepth = -1;
  #inlineDepth = 0;
  /** Of the run of text that is being read: characters from the next `:name:` to its end; null when not looked for yet. */
  #shortcodeFromEnd: number | null = null;

  /** @param options.cjk whether the text has Chinese, Japanese or Korean in it */
  constructor({ cjk, extensions }: Pick<MarkedOptions, "extensions"> & { cjk: boolean }) {
    const tokenizer = cjk ? new CjkTokenizer() : new MeteredTokenizer();
    super({ extensions, gfm: true, breaks: true, tokenizer });
    meteredRules ??= meteredRulesOf(tokenizer.rules);
    tokenizer.rules = meteredRules;
  }

  /** @throws AppError `invalid_request` when the text costs too much work or nests too deeply */
  override lex(markdown: string) {
    startWork();
    return super.lex(markdown);
  }

  override blockTokens(markdown: string, tokens?: Token[], lastParagraphClipped?: boolean): TokensList;
  override blockTokens(markdown: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    spend(PER_BLOCK / 2 + 2 * markdown.length + (PER_LINE / 2) * occurrences(markdown, "\n"));
    if (++this.#blockDepth > MAX_BLOCK_DEPTH) throw tooMuch(TOO_DEEP);
    const read = super.blockTokens(markdown, tokens, lastParagraphClipped);
    this.#blockDepth--;
    return read;
  }

  override inlineTokens(text: string, tokens?: Token[]): Token[] {
    // Looking for links goes on from each bracket: not far as a rule, but where brackets are escaped to the end, perhaps.
    const brackets = occurrences(text, "[") / 4 + occurrences(text, "\\[") + occurrences(text, "\\]") / 4;
    spend((/[*_~[]/.test(text) ? PER_RUN : PER_RUN / 4) + (4 + brackets) * text.length);
    // Looking for a line's end goes on from each of many spaces.
    if (text.includes(MANY_SPACES))
      for (const [spaces] of text.matchAll(/ {16,}/g)) spend(spaces.length ** 2);
    if (++this.#inlineDepth > MAX_INLINE_DEPTH) throw tooMuch(TOO_DEEP);
    const outer = this.#shortcodeFromEnd;
    this.#shortcodeFromEnd = null;
    const read = super.inlineTokens(text, tokens);
    this.#shortcodeFromEnd = outer;
    this.#inlineDepth--;
    return read;
  }

  /** Where in `rest`, the end of the run that is being read, the next `:name:` is. Looked for once, not at every word. */
  nextShortcode(rest: string): number | undefined {
    const known = this.#shortcodeFromEnd;
    if (known === null || known > rest.length) {
      const index = rest.search(/:[a-z0-9+_-]+:/);
      this.#shortcodeFromEnd = index === -1 ? 0 : rest.length - index;
    }
    const fromEnd = this.#shortcodeFromEnd ?? 0;
    return fromEnd === 0 ? undefined : rest.length - fromEnd;
  }
}
