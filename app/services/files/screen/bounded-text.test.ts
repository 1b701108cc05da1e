import { describe, expect, test } from "vitest";
import { limitMarks, MAX_MARKS } from "../../../locales/visible-text";
import { blocksOf, boundText, boundTree, MAX_LINE_LENGTH, MAX_LINES, shortenText } from "./bounded-text";

const ACUTE = "\u0301";
const longest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

test("an ordinary text stays as it is", () => {
  for (const text of [
    "",
    "\n",
    "one\ntwo\r\n",
    "ש\u05b8\u05c1לום",
    "e\u0301",
    "x".repeat(MAX_LINE_LENGTH),
    "\n".repeat(MAX_LINES - 1),
  ])
    expect(boundText(text)).toEqual({ text, isChanged: false, isCut: false });
});

describe("a line that is too long is broken into blocks", () => {
  const partsOf = (text: string) => blocksOf(text).map(({ start, end }) => text.slice(start, end));

  test("after a space, and loses nothing", () => {
    const text = "שלום עולם ".repeat(40_000);
    const bounded = boundText(text);
    expect(bounded).toEqual({ text, isChanged: true, isCut: false });
    const parts = partsOf(bounded.text);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(parts.slice(0, -1).every((part) => part.endsWith(" "))).toBe(true);
    expect(parts.join("")).toBe(text);
  });

  test("anywhere if it has no space, but not inside of a character", () => {
    const text = `a${"😀".repeat(10_000)}`;
    const parts = partsOf(text);
    expect(parts.join("")).toBe(text);
    expect(parts.every((part) => !/^[\udc00-\udfff]/.test(part) && part.length <= MAX_LINE_LENGTH)).toBe(
      true,
    );
  });
});

test("a text of too many lines is cut", () => {
  const bounded = boundText("\n".repeat(1_000_000));
  expect(bounded).toEqual({ text: "\n".repeat(MAX_LINES - 1), isChanged: false, isCut: true });
});

test("a letter keeps its marks, up to a number that no language has", () => {
  expect(limitMarks(`a${ACUTE.repeat(MAX_MARKS)}b`)).toBe(`a${ACUTE.repeat(MAX_MARKS)}b`);
  expect(limitMarks(`a${ACUTE.repeat(400_000)}b${ACUTE.repeat(60)}`)).toBe(
    `a${ACUTE.repeat(MAX_MARKS)}b${ACUTE.repeat(MAX_MARKS)}`,
  );
  expect(boundText(`a${ACUTE.repeat(60)}`).isChanged).toBe(true);
});

test("names and cells are cut to one short text", () => {
  expect(shortenText("short", 5)).toBe("short");
  expect(shortenText("longer", 5)).toBe("longe…");
  expect(shortenText(`a${ACUTE.repeat(1_000_000)}`, 300)).toBe(`a${ACUTE.repeat(MAX_MARKS)}`);
  expect(shortenText("😀😀", 3)).toBe("😀…");
});

test("blocks are whole lines, and together the text", () => {
  const text = boundText(`${"a\n\n".repeat(1_000)}${"b".repeat(50_000)}\n`).text;
  const blocks = blocksOf(text);
  expect(blocks.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
  expect(Math.max(...blocks.map(({ start, end }) => end - start))).toBeLessThanOrEqual(3 * MAX_LINE_LENGTH);
  expect(Math.max(...blocks.map(({ lines }) => lines))).toBe(100);
  expect(blocksOf("")).toEqual([{ start: 0, end: 0, lines: 1, rows: 1 }]);
});

describe("the text of a tree", () => {
  interface Element {
    tag: string;
    children: (string | Element)[];
  }
  const element = (tag: string, ...children: (string | Element)[]): Element => ({ tag, children });
  const words = "לא 12 ab ";

  test("gets line breaks where a paragraph is too long, also across inline elements", () => {
    const half = words.repeat(300);
    const [paragraph, next] = boundTree<Element>([
      element("p", half, element("strong", half), half),
      element("p", half),
    ]) as Element[];
    const flat = (nodes: (string | Element)[]): string =>
      nodes
        .map((node) => (typeof node === "string" ? node : node.tag === "br" ? "\n" : flat(node.children)))
        .join("");
    const text = flat(paragraph?.children ?? []);
    expect(longest(text)).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(text.replaceAll("\n", "")).toBe(half.repeat(3));
    expect(next).toEqual(element("p", half));
  });

  test("keeps short paragraphs and their line breaks", () => {
    const line = words.repeat(300);
    const tree = [element("p", line, element("br"), line)];
    expect(boundTree<Element>(tree)).toEqual(tree);
  });

  test("has broken lines in code", () => {
    const [pre] = boundTree<Element>([element("pre", "x".repeat(10_000))]) as Element[];
    expect(longest(String(pre?.children[0]))).toBe(MAX_LINE_LENGTH);
  });
});
