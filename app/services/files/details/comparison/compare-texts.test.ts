import fc from "fast-check";
import { expect, test } from "vitest";
import { type Comparison, compareTexts, type Line } from "./compare-texts";

const compare = (before: string, after: string) => {
  const comparison = compareTexts(before, after, 5_000);
  if (comparison === null) throw new Error("It took too long.");
  return comparison;
};
const textOf = (line: Line | null) => line?.pieces.map(({ text }) => text).join("") ?? null;
/** What differs within a line is in brackets. */
const marked = (line: Line | null) =>
  line?.pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join("") ?? null;
const changesOf = ({ blocks }: Comparison) =>
  blocks.flatMap((block) =>
    block.kind === "changed" ? [block.pairs.map(({ before, after }) => [marked(before), marked(after)])] : [],
  );

test("a replaced line is beside the line that it replaces, and the words that differ are marked", () => {
  const comparison = compare("one\nthe old house\nthree\n", "one\nthe new house\nthree\n");
  expect(changesOf(comparison)).toEqual([[["the [old] house", "the [new] house"]]]);
  expect(comparison).toMatchObject({ added: 1, removed: 1, onlyLineEndings: false });
});

test("lines with little in common are not marked within", () => {
  expect(changesOf(compare("alpha beta gamma", "one two three four"))).toEqual([
    [["alpha beta gamma", "one two three four"]],
  ]);
  const long = "word ".repeat(300);
  expect(changesOf(compare(`${long}old`, `${long}new`))).toEqual([[[`${long}old`, `${long}new`]]]);
});

test("characters are marked where a script has no spaces between words", () => {
  expect(changesOf(compare("会議は月曜日です", "会議は火曜日です"))).toEqual([
    [["会議は[月]曜日です", "会議は[火]曜日です"]],
  ]);
});

test("added and removed lines have nothing beside them", () => {
  expect(changesOf(compare("a\nb\nc", "a\nc\nd\ne"))).toEqual([
    [["b", null]],
    [
      [null, "d"],
      [null, "e"],
    ],
  ]);
  expect(changesOf(compare("", "a"))).toEqual([[[null, "a"]]]);
  expect(changesOf(compare("a", ""))).toEqual([[["a", null]]]);
});

test("line endings are no difference of the lines, and are reported where nothing else differs", () => {
  expect(compare("a\r\nb\r\n", "a\nb")).toMatchObject({ added: 0, removed: 0, onlyLineEndings: true });
  expect(compare("a\nb", "a\nb")).toMatchObject({ added: 0, removed: 0, onlyLineEndings: false });
  expect(compare("a\r\nb", "a\nc")).toMatchObject({ added: 1, removed: 1, onlyLineEndings: false });
});

test("a comparison that takes too long ends without a result", () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
  expect(compareTexts(lines.join("\n"), [...lines].reverse().join("\n"), 1)).toBeNull();
});

test("long texts that have no line in common are compared", () => {
  const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => prefix + index).join("\n");
  expect(compare(lines("a"), lines("b"))).toMatchObject({ added: 20_000, removed: 20_000 });
});

test("both texts can be put together again from the blocks, with the numbers of their lines", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "a b", "a c", ""), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { blocks, added, removed } = compare(`${before.join("\n")}\n`, `${after.join("\n")}\n`);
      const read = (side: "before" | "after") =>
        blocks.flatMap((block) =>
          block.kind === "same"
            ? block.lines.map((line, index) => [block[side] + index, line])
            : block.pairs.flatMap((pair) => (pair[side] ? [[pair[side].number, textOf(pair[side])]] : [])),
        );
      // Without any lines, the text is one line ending: an empty line.
      const numbered = (lines: string[]) =>
        (lines.length === 0 ? [""] : lines).map((line, index) => [index + 1, line]);
      expect(read("before")).toEqual(numbered(before));
      expect(read("after")).toEqual(numbered(after));
      expect(added - removed).toBe(numbered(after).length - numbered(before).length);
    }),
  );
});
