/** Small files that are made to keep a browser busy, or to fill its memory. */
import { readFileSync } from "node:fs";
import { pdf } from "../../e2e/sample-files";

export interface HostileFile {
  name: string;
  content: string | Buffer;
  /** what its preview says or shows; a sentence that begins so */
  shows: string;
}

const sample = (name: string) => readFileSync(`tests/support/files/hostile/${name}`);
const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900">${inside}</svg>`;

const TOO_COMPLEX = "This file is too complex to preview.";
const ACUTE = "\u0301";

/** Lines across the whole drawing, in no order. */
function crossingLines(count: number): string {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state % 900;
  };
  return `<path d="M0 0${Array.from({ length: count }, () => `L${next()} ${next()}`).join("")}z"/>`;
}

export const hostileDrawings: HostileFile[] = [
  { name: "clips.svg", content: sample("clips.svg"), shows: TOO_COMPLEX },
  { name: "uses.svg", content: sample("uses.svg"), shows: TOO_COMPLEX },
  { name: "lines.svg", content: svg(crossingLines(25_000)), shows: TOO_COMPLEX },
  {
    name: "dashes.svg",
    content: svg(`<g stroke="red" stroke-dasharray=".0001">${'<path d="M0 0h900000"/>'.repeat(900)}</g>`),
    shows: TOO_COMPLEX,
  },
  {
    name: "blur.svg",
    content: svg(
      `<filter id="f"><feGaussianBlur stdDeviation="900"/></filter>${'<rect filter="url(#f)" width="900" height="900"/>'.repeat(2_000)}`,
    ),
    shows: TOO_COMPLEX,
  },
];

export const hostileTexts: HostileFile[] = [
  { name: "hebrew.txt", content: "שלום עולם ".repeat(50_000), shows: "Some lines are too long" },
  { name: "arabic.txt", content: "لا إله إلا الله ".repeat(30_000), shows: "Some lines are too long" },
  { name: "mixed.js", content: "const a = 'ab לא 12'; ".repeat(40_000), shows: "Some lines are too long" },
  { name: "marks.txt", content: `a${ACUTE.repeat(60)}`.repeat(8_000), shows: "Some lines are too long" },
  { name: "one-letter.txt", content: `a${ACUTE.repeat(400_000)}`, shows: "Some lines are too long" },
  { name: "newlines.txt", content: "\n".repeat(1_000_000), shows: "The first lines" },
  { name: "rtl-lines.txt", content: `ש\n${"a\n".repeat(400_000)}`, shows: "The first lines" },
  { name: "cells.csv", content: `a,b\n${`"${"שלום ".repeat(90_000)}",1\n`}`, shows: "שלום" },
  { name: "string.json", content: JSON.stringify({ a: "שלום ".repeat(100_000) }), shows: "שלום" },
  { name: "deep.json", content: sample("deep.json"), shows: "This text is too complex" },
  { name: "paragraph.md", content: "**ab** לא 12 ".repeat(30_000), shows: "לא 12" },
  { name: "words.md", content: "שלום עולם ".repeat(45_000), shows: "שלום" },
];

export const hostileDocuments: HostileFile[] = [
  { name: "marks.docx", content: sample("marks.docx"), shows: ACUTE },
  { name: "empty-runs.docx", content: sample("empty-runs.docx"), shows: TOO_COMPLEX },
  { name: "content.pdf", content: sample("content-7GB.pdf"), shows: TOO_COMPLEX },
  { name: "object-stream.pdf", content: sample("object-stream.pdf"), shows: TOO_COMPLEX },
  { name: "pages.pdf", content: pdf(10_000), shows: "Fit" },
];
