/**
 * Text of files, bounded so that a browser can lay it out. For some scripts, the time for a line grows with the square of its length, and so it
 * does with the number of marks on a letter: a megabyte would take minutes, and nobody could close it.
 */
import { limitMarks } from "../../../locales/visible-text";

/** Characters of a line, or of a paragraph. */
export const MAX_LINE_LENGTH = 4_000;
/** Lines of a text. */
export const MAX_LINES = 50_000;

/** Cuts a text that is longer than `most` characters, and ends it with `…`. For one line, like a name or a cell. */
export function shortenText(text: string, most: number): string {
  const bounded = limitMarks(text.length > most * 2 ? text.slice(0, most * 2) : text);
  return bounded.length > most ? `${bounded.slice(0, placeToBreak(bounded, most, 0))}…` : bounded;
}

export interface BoundedText {
  text: string;
  /** lines are broken where `blocksOf` ends, or marks are left out */
  isChanged: boolean;
  /** there are more lines */
  isCut: boolean;
}

/** Limits marks and lines. `blocksOf` breaks the lines that are too long. */
export function boundText(text: string): BoundedText {
  const limited = limitMarks(text);
  let lines = 0;
  let isLong = false;
  for (let start = 0; start <= limited.length; lines++) {
    if (lines === MAX_LINES)
      return { text: limited.slice(0, start - 1), isChanged: isLong || limited !== text, isCut: true };
    const newline = limited.indexOf("\n", start);
    const end = newline === -1 ? limited.length : newline;
    isLong ||= end - start > MAX_LINE_LENGTH;
    start = end + 1;
  }
  return { text: limited, isChanged: isLong || limited !== text, isCut: false };
}

/** How far before the end of a line a space is looked for, characters. */
const SPACE_WITHIN = 200;

/** Where to break a text, at most at `end`: after a space if one is near, and never inside of a character. */
function placeToBreak(text: string, end: number, start: number): number {
  for (let at = end; at > Math.max(end - SPACE_WITHIN, start); at--) if (text[at - 1] === " ") return at;
  const isInside = /[\udc00-\udfff]/.test(text[end] ?? "") && /[\ud800-\udbff]/.test(text[end - 1] ?? "");
  return isInside ? end - 1 : end;
}

/** Lines, and about how many characters, that are laid out together. */
const BLOCK_LINES = 100;
const BLOCK_LENGTH = 2 * MAX_LINE_LENGTH;

export interface TextBlock {
  /** where it begins and ends in the text; the last line's ending belongs to it */
  start: number;
  end: number;
  lines: number;
  /** about how many rows they take when they are wrapped */
  rows: number;
}

/** Characters of a row, on a wide screen. */
const ROW_LENGTH = 120;

/** Divides a bounded text into blocks of whole lines. A line that is too long is broken: each part of it is a block. */
export function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let start = 0;
  let lines = 0;
  let rows = 0;
  const finish = (end: number) => {
    blocks.push({ start, end, lines, rows });
    start = end;
    lines = 0;
    rows = 0;
  };
  for (let at = 0; at <= text.length; ) {
    const newline = text.indexOf("\n", at);
    const lineEnd = newline === -1 ? text.length : newline;
    const isLong = lineEnd - at > MAX_LINE_LENGTH;
    const end = isLong ? placeToBreak(text, at + MAX_LINE_LENGTH, at) : lineEnd;
    lines++;
    rows += Math.max(Math.ceil((end - at) / ROW_LENGTH), 1);
    at = isLong ? end : end + 1;
    if (isLong) finish(end);
    else if (newline === -1) finish(text.length);
    else if (lines === BLOCK_LINES || end - start >= BLOCK_LENGTH) finish(at);
  }
  return blocks;
}

/** A tree of text and elements, as previews of documents have it. */
export type TextNode<Element> = string | Element;
interface TreeElement {
  tag: string;
  children: TextNode<this>[];
}

const inline = new Set(["strong", "em", "del", "u", "s", "sup", "sub", "a", "link", "code", "image", "img"]);

/** Bounds the text of a tree: paragraphs that are too long get line breaks (`br`), and lines of `pre` are broken. */
export function boundTree<Element extends TreeElement>(
  nodes: readonly TextNode<Element>[],
): TextNode<Element>[] {
  /** characters since the last line break or the beginning of a block */
  let length = 0;
  const visit = (nodes: readonly TextNode<Element>[], isPre: boolean): TextNode<Element>[] =>
    nodes.flatMap((node) => {
      if (typeof node === "string") return isPre ? breakLines(node) : breakRun(node);
      const isInline = inline.has(node.tag);
      if (!isInline) length = 0;
      const children = visit(node.children as TextNode<Element>[], isPre || node.tag === "pre");
      if (!isInline) length = 0;
      return { ...node, children };
    });
  const breakLines = (text: string) => {
    const limited = limitMarks(text);
    return blocksOf(limited)
      .map(({ start, end }) => limited.slice(start, end))
      .map((block, index, all) => (block.endsWith("\n") || index === all.length - 1 ? block : `${block}\n`))
      .join("");
  };
  const breakRun = (text: string): TextNode<Element>[] => {
    const limited = limitMarks(text);
    const broken: TextNode<Element>[] = [];
    let start = 0;
    while (length + limited.length - start > MAX_LINE_LENGTH) {
      const end = placeToBreak(limited, start + Math.max(MAX_LINE_LENGTH - length, 0), start);
      broken.push(limited.slice(start, end), { tag: "br", children: [] } as TreeElement as Element);
      start = end;
      length = 0;
    }
    length += limited.length - start;
    return [...broken, limited.slice(start)];
  };
  return visit(nodes, false);
}
