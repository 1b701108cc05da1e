import { Lexer, type Rules } from "marked";
import { type InputIssue, invalidRequest } from "../app-error";

/**
 * Counts the work of reading Markdown: marked's patterns, which pay for the characters that they may have looked at.
 * docs/decisions/0044-input-is-bounded-by-work.md
 */

/**
 * What one text may cost. A unit is about what one step of a simple pattern costs, 1 to 5 ns, so that this is about 45 ms at most. A
 * newsletter of 20,000 characters in a European language costs about a third of it.
 */
export const MAX_MARKDOWN_WORK = 9_000_000;

/** Units for what costs the same however long it is: one call for a block, a line, a run of text, a mark, a link's address. */
export const PER_BLOCK = 1_200;
export const PER_LINE = 1_000;
export const PER_RUN = 1_000;
const PER_MARK = 500;
const PER_ADDRESS = 2_000;

const TOO_MUCH_WORK =
  "has too many marks (like *, _, [ or >) or list items; use fewer of them in one paragraph, list or quote";

/** Of the text that is being read. Reading is synchronous, so there is one at a time. */
let work = 0;

export function startWork(): void {
  work = 0;
}

export function spend(units: number): void {
  work += units;
  if (work > MAX_MARKDOWN_WORK) throw tooMuch(TOO_MUCH_WORK);
}

export const tooMuch = (message: string, path = "description") =>
  invalidRequest([{ path, message } satisfies InputIssue]);

/** What looking for a pattern in `text` from `from` on may have cost, in units. */
type Cost = (text: string, from: number, match: RegExpExecArray | null) => number;

class MeteredPattern extends RegExp {
  /** V8 runs a RegExp itself much faster than one of a class of its own. */
  readonly #pattern: RegExp;
  readonly #cost: Cost;

  constructor(pattern: RegExp, cost: Cost) {
    super(pattern.source, pattern.flags);
    this.#pattern = new RegExp(pattern.source, pattern.flags);
    this.#cost = cost;
  }

  /** `matchAll` makes a copy, which cannot know its cost. */
  static override get [Symbol.species]() {
    return RegExp;
  }

  override exec(text: string): RegExpExecArray | null {
    const from = this.lastIndex;
    this.#pattern.lastIndex = from;
    const match = this.#pattern.exec(text);
    this.lastIndex = this.#pattern.lastIndex;
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

export function meteredRulesOf({ other }: Rules): Rules {
  // marked makes this pattern anew for each list, though there are but five kinds of bullets.
  const itemPatterns = new Map<string, RegExp>();
  const listItemRegex = (bullet: string) => {
    const pattern = itemPatterns.get(bullet) ?? other.listItemRegex(bullet);
    itemPatterns.set(bullet, pattern);
    return pattern;
  };
  return { other: { ...other, listItemRegex }, block: meteredBlock, inline: meteredInline };
}

/** What the last text cost, in units. For tests and the search for costly texts. */
export function lastMarkdownWork(): number {
  return work;
}
