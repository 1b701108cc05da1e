import { diffArrays, diffWordsWithSpace } from "diff";

/** A part of a line. In a line that was replaced by another, the parts that differ are marked. */
export interface Piece {
  text: string;
  isChanged: boolean;
}

export interface Line {
  /** from 1 */
  number: number;
  pieces: readonly Piece[];
}

/** A line of the first text, and the line beside it of the second; null if there is none. */
export interface Pair {
  before: Line | null;
  after: Line | null;
}

export type Block =
  /** lines that are in both texts, and the numbers of their first line */
  | { kind: "same"; before: number; after: number; lines: readonly string[] }
  | { kind: "changed"; pairs: readonly Pair[] };

export interface Comparison {
  blocks: readonly Block[];
  /** numbers of lines */
  added: number;
  removed: number;
  /** the lines are the same, and the texts are not: line endings differ, or only one text ends with a line ending */
  onlyLineEndings: boolean;
}

/** Longer lines are not compared within, characters. */
const MAX_LINE_LENGTH = 1_000;
/** So many lines are compared within. */
const MAX_PAIRS = 2_000;
/** Lines that differ by more words than this have nothing in common that is worth showing. */
const MAX_WORD_EDITS = 60;
/** The smallest share of a line that both must have. With less, marked parts would be scattered over two unlike lines. */
const MIN_COMMON_SHARE = 0.4;

/**
 * Compares two texts line by line, and replaced lines word by word.
 * @param timeoutMs how long it may take
 * @returns null if it takes longer
 */
export function compareTexts(before: string, after: string, timeoutMs: number): Comparison | null {
  const [linesBefore, linesAfter] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(linesBefore, linesAfter, { timeout: timeoutMs });
  if (changes === undefined) return null;
  const blocks: Block[] = [];
  const counts = { added: 0, removed: 0 };
  const at = { before: 1, after: 1 };
  let pairsLeft = MAX_PAIRS;
  for (let index = 0; index < changes.length; index++) {
    const change = changes[index];
    if (change === undefined) break;
    const { value, removed, added } = change;
    if (!removed && !added) {
      blocks.push({ kind: "same", ...at, lines: value });
      at.before += value.length;
      at.after += value.length;
      continue;
    }
    // What takes the place of removed lines follows them.
    const next = changes[index + 1];
    const hasBoth = removed && next?.added === true;
    if (hasBoth) index++;
    const from = removed ? value : [];
    const to = hasBoth ? next.value : added ? value : [];
    blocks.push({ kind: "changed", pairs: pair(from, to, at, pairsLeft) });
    pairsLeft -= Math.min(from.length, to.length);
    at.before += from.length;
    at.after += to.length;
    counts.removed += from.length;
    counts.added += to.length;
  }
  const isSame = counts.added + counts.removed === 0;
  return { blocks, ...counts, onlyLineEndings: isSame && before !== after };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  // The last line ending ends a line, and begins none.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function pair(
  from: readonly string[],
  to: readonly string[],
  first: { before: number; after: number },
  maxCompared: number,
): Pair[] {
  return Array.from({ length: Math.max(from.length, to.length) }, (_, index) => {
    const [old, young] = [from[index], to[index]];
    const within =
      old !== undefined && young !== undefined && index < maxCompared && compareWords(old, young);
    const whole = (text: string): Piece[] => [{ text, isChanged: false }];
    const [piecesBefore, piecesAfter] = within || [whole(old ?? ""), whole(young ?? "")];
    return {
      before: old === undefined ? null : { number: first.before + index, pieces: piecesBefore },
      after: young === undefined ? null : { number: first.after + index, pieces: piecesAfter },
    };
  });
}

/** The pieces of both lines; null if the lines are too long, or have too little in common. */
function compareWords(before: string, after: string): [Piece[], Piece[]] | null {
  if (Math.max(before.length, after.length) > MAX_LINE_LENGTH) return null;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS });
  if (changes === undefined) return null;
  const common = changes.reduce(
    (sum, { value, added, removed }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (common < MIN_COMMON_SHARE * Math.max(before.trim().length, after.trim().length)) return null;
  const pieces = (left: "added" | "removed") =>
    changes
      .filter((change) => !change[left])
      .map(({ value, added, removed }) => ({ text: value, isChanged: added || removed }));
  return [pieces("added"), pieces("removed")];
}
