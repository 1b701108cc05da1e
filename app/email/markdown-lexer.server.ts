import {
  Lexer,
  type MarkedOptions,
  type Rules,
  type Token,
  Tokenizer,
  type Tokens,
  type TokensList,
} from "marked";
import { type InputIssue, invalidRequest } from "../app-error";
import { boldBetweenCjk } from "./markdown-cjk.server";
import { costOfNestedMarkers, occurrences } from "./markdown-costs.server";

/**
 * Reads Markdown with marked, and counts the work while it does. Several of marked's patterns look at the rest of a paragraph again
 * for every `*`, `[` or `<` in it, so that 20,000 characters can cost seconds. Here every pattern pays for the characters that it
 * may have looked at, and what costs too much is refused. The result is marked's, to the byte, but for
 * what is left out or read otherwise in `MeteredTokenizer`: only the counting is ours.
 * docs/decisions/0044-input-is-bounded-by-work.md
 */

/**
 * What one text may cost. A unit is about what one step of a simple pattern costs, 1 to 5 ns, so that this is about 45 ms at most. A
 * newsletter of 20,000 characters in a European language costs about a third of it.
 */
export const MAX_MARKDOWN_WORK = 9_000_000;
/** Levels of quotes and lists in each other, and of bold, italics and links. */
export const MAX_BLOCK_DEPTH = 16;
export const MAX_INLINE_DEPTH = 32;

/** Units for what costs the same however long it is: one call for a block, a line, a run of text, a mark, a link's address. */
const PER_BLOCK = 1_200;
const PER_LINE = 1_000;
const PER_RUN = 1_000;
const PER_MARK = 500;
const PER_ADDRESS = 2_000;

const TOO_MUCH_WORK =
  "has too many marks (like *, _, [ or >) or list items; use fewer of them in one paragraph, list or quote";
const TOO_DEEP = "nests quotes or lists too deeply";

/** Of the text that is being read. Reading is synchronous, so there is one at a time. */
let work = 0;

function spend(units: number): void {
  work += units;
  if (work > MAX_MARKDOWN_WORK) throw tooMuch(TOO_MUCH_WORK);
}

const tooMuch = (message: string, path = "description") =>
  invalidRequest([{ path, message } satisfies InputIssue]);

/** What looking for a pattern in `text` from `from` on may have cost, in units. */
type Cost = (text: string, from: number, match: RegExpExecArray | null) => number;

class MeteredPattern extends RegExp {
  readonly #cost: Cost;

  constructor(pattern: RegExp, cost: Cost) {
    super(pattern.source, pattern.flags);
    this.#cost = cost;
  }

  /** `matchAll` makes a copy, which cannot know its cost. */
  static override get [Symbol.species]() {
    return RegExp;
  }

  override exec(text: string): RegExpExecArray | null {
    const from = this.lastIndex;
    const match = super.exec(text);
    spend(this.#cost(text, from, match));
    return match;
  }
}

/** A pattern that walks on through the text with each call. */
const walked =
  (perCharacter: number, perCall: number): Cost =>
  (text, from, match) =>
    perCall + perCharacter * ((match ? match.index + match[0].length : text.length) - from);

/** A pattern for the start of the text, which may go to the end of it in vain once its first character is there. */
const tried =
  (perCharacter: number, perMatch: number, start: RegExp): Cost =>
  (text, _from, match) => {
    if (match) return perMatch + perCharacter * match[0].length;
    return start.test(text) ? perCharacter * text.length : 1;
  };

const firstIndex = (text: string, pattern: RegExp) => {
  const index = text.search(pattern);
  return index === -1 ? text.length : index;
};

const bracket = /^!?\[/;

const inlineCosts: Partial<Record<keyof Rules["inline"], Cost>> = {
  emStrongLDelim: (_text, _from, match) => PER_MARK + 12 * (match?.[0].length ?? 0),
  emStrongRDelimAst: walked(4, 100),
  // What is no letter, mark nor space, such as U+200B, costs it three times as much.
  emStrongRDelimUnd: walked(12, 100),
  // Has no alternative that takes several characters, so that each costs much where the text is not Latin.
  delRDelim: walked(16, 60),
  blockSkip: walked(2, 60),
  anyPunctuationOutsideCode: (text, from, match) => {
    const isUnpaired = match?.[0].startsWith("`") === true && match[1] === undefined;
    return isUnpaired ? text.length - from : walked(1, 60)(text, from, match);
  },
  reflinkSearch: walked(2, 60),
  link: tried(2, PER_ADDRESS, bracket),
  reflink: tried(1, PER_ADDRESS, bracket),
  nolink: tried(1, 100, bracket),
  code: tried(2, 100, /^`/),
  tag: tried(1, 100, /^</),
  autolink: (text, _from, match) => (match ? PER_ADDRESS : 50 + 2 * firstIndex(text, /[\s>]/)),
  url: (text, _from, match) => (match ? PER_ADDRESS + 2 * match[0].length : 2 * firstIndex(text, /[^\w.+-]/)),
  _backpedal: (text) => 100 + 3 * text.length,
  br: (text) => 20 + 2 * firstIndex(text, /\S/),
  text: (text, _from, match) =>
    8 * (match?.[0].length ?? 0) + 2 * firstIndex(text, /[^\w.!#$%&'*+/=?`{|}~-]/),
};

const blockCosts: Partial<Record<keyof Rules["block"], Cost>> = {
  // The last that is tried before a paragraph, and reads as far as that.
  lheading: (text) => PER_BLOCK + 6 * firstIndex(text, /\n[ \t]*\n/),
  blockquote: (_text, _from, match) => (match ? PER_BLOCK + 4 * match[0].length : 0),
  fences: (_text, _from, match) => (match ? PER_BLOCK + 2 * match[0].length : 0),
  heading: (_text, _from, match) => (match ? PER_BLOCK + match[0].length : 0),
  hr: (_text, _from, match) => (match ? PER_BLOCK + match[0].length : 0),
  def: tried(2, PER_BLOCK, /^ {0,3}\[/),
};

function metered<Name extends string>(
  patterns: Record<Name, RegExp>,
  costs: Partial<Record<Name, Cost>>,
): Record<Name, RegExp> {
  const entries = Object.entries<RegExp>(patterns).map(([name, pattern]) => {
    const cost = costs[name as Name];
    return [name, cost === undefined ? pattern : new MeteredPattern(pattern, cost)];
  });
  return Object.fromEntries(entries);
}

/** marked's own patterns for the options `gfm` and `breaks`, which is what the e-mails' Markdown is. */
const meteredBlock = metered(Lexer.rules.block.gfm, blockCosts);
const meteredInline = metered(Lexer.rules.inline.breaks, inlineCosts);

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
  constructor({ cjk, ...options }: Pick<MarkedOptions, "extensions"> & { cjk: boolean }) {
    const tokenizer = cjk ? new CjkTokenizer() : new MeteredTokenizer();
    super({ ...options, gfm: true, breaks: true, tokenizer });
    tokenizer.rules = { ...tokenizer.rules, block: meteredBlock, inline: meteredInline };
  }

  /** @throws AppError `invalid_request` when the text costs too much work or nests too deeply */
  override lex(markdown: string) {
    work = 0;
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

/** What the last text cost, in units. For tests and the search for costly texts. */
export function lastMarkdownWork(): number {
  return work;
}
