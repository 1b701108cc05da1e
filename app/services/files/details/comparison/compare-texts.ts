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
  const matches = matchLines(linesBefore, linesAfter, timeoutMs);
  if (matches === null) return null;
  const blocks: Block[] = [];
  const counts = { added: 0, removed: 0 };
  const at = { before: 0, after: 0 };
  let pairsLeft = MAX_PAIRS;
  // The ends of both texts stand beside each other, too.
  for (const match of [...matches, { before: linesBefore.length, after: linesAfter.length, length: 0 }]) {
    const removed = linesBefore.slice(at.before, match.before);
    const added = linesAfter.slice(at.after, match.after);
    if (removed.length + added.length > 0) {
      blocks.push({ kind: "changed", pairs: pair(removed, added, at, pairsLeft) });
      pairsLeft -= Math.min(removed.length, added.length);
      counts.removed += removed.length;
      counts.added += added.length;
    }
    at.before = match.before + match.length;
    at.after = match.after + match.length;
    const lines = linesBefore.slice(match.before, at.before);
    if (lines.length > 0)
      blocks.push({ kind: "same", before: match.before + 1, after: match.after + 1, lines });
  }
  const isSame = counts.added + counts.removed === 0;
  return { blocks, ...counts, onlyLineEndings: isSame && before !== after };
}

/** A run of lines that are the same: indices of its first line in both texts, and the number of lines. */
interface Match {
  before: number;
  after: number;
  length: number;
}

/** Finds the lines that stayed, in their order. @returns null if it takes longer than `timeoutMs` */
function matchLines(before: readonly string[], after: readonly string[], timeoutMs: number): Match[] | null {
  // A line that only one of the texts has matches none. Without such lines, two unlike texts take no longer than two similar ones.
  const from = indicesOfShared(before, after);
  const to = indicesOfShared(after, before);
  const linesAt = (lines: readonly string[], indices: readonly number[]) =>
    indices.map((index) => lines[index] ?? "");
  const changes = diffArrays(linesAt(before, from), linesAt(after, to), { timeout: timeoutMs });
  if (changes === undefined) return null;
  const matches: Match[] = [];
  const at = { from: 0, to: 0 };
  for (const { count, added, removed } of changes) {
    if (removed) at.from += count;
    else if (added) at.to += count;
    else
      for (let line = 0; line < count; line++) {
        const [here, there] = [from[at.from++] ?? 0, to[at.to++] ?? 0];
        const last = matches.at(-1);
        if (last && last.before + last.length === here && last.after + last.length === there) last.length++;
        else matches.push({ before: here, after: there, length: 1 });
      }
  }
  return matches;
}

/** The indices of the lines that are also in `other`. */
function indicesOfShared(lines: readonly string[], other: readonly string[]): number[] {
  const others = new Set(other);
  return lines.flatMap((line, index) => (others.has(line) ? [index] : []));
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
  /** indices of the first lines */
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
      before: old === undefined ? null : { number: first.before + index + 1, pieces: piecesBefore },
      after: young === undefined ? null : { number: first.after + index + 1, pieces: piecesAfter },
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
