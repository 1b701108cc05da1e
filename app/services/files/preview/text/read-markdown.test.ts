import { expect, test } from "vitest";
import { MAX_MARKS } from "../../../../locales/visible-text";
import { MAX_LINE_LENGTH } from "../../screen/bounded-text";
import { type MarkdownNode, readMarkdown } from "./read-markdown";

/** The nodes as brackets: `p[text strong[bold]]`. */
const outline = (nodes: MarkdownNode[]): string =>
  nodes.map((node) => (typeof node === "string" ? node : `${node.tag}[${outline(node.children)}]`)).join("");
const read = (text: string) => outline(readMarkdown(text));

test.each([
  ["# One\n\n### Three", "h1[One]h3[Three]"],
  ["a **b** *c* ~~d~~ `e`", "p[a strong[b] em[c] del[d] code[e]]"],
  ["- a\n- b\n  1. c", "ul[li[a]li[bol[li[c]]]]"],
  ["- [x] a\n- [ ] b", "ul[li[done[]a]li[open[]b]]"],
  ["> q", "blockquote[p[q]]"],
  ["```js\nlet a;\n```", "pre[let a;]"],
  ["| a | b |\n|---|---|\n| 1 | 2 |", "table[thead[tr[th[a]th[b]]]tbody[tr[td[1]td[2]]]]"],
  ["a  \nb<br>c\n\n---", "p[abr[]bbr[]c]hr[]"],
  ["Q&amp;A &copy; &#x4e1c; &unknown; \\*", "p[Q&A © 东 &unknown; *]"],
  ["---\ntitle: x\ntags:\n- y\n---\n# One", "h1[One]"],
])("%j becomes %s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test("a list that starts elsewhere keeps its numbers", () => {
  expect(readMarkdown("3. c\n4. d")[0]).toMatchObject({ tag: "ol", start: 3 });
});

test.each([
  ["[x](javascript:alert(1))", { tag: "link", children: ["x"], title: "javascript:alert(1)" }],
  ["![x](https://a.example/b.png)", { tag: "image", children: ["x"], title: "https://a.example/b.png" }],
])("%s is told, and leads nowhere", (text, expected) => {
  expect(readMarkdown(text)).toEqual([{ tag: "p", children: [expected] }]);
});

test.each([
  ["<script>alert(1)</script>", "pre[<script>alert(1)</script>]"],
  ["a <img src=x onerror=alert(1)> b", "p[a  b]"],
  ["<!-- a word for the next author -->", ""],
  ["<div onclick=alert(1)>\n\n**b**\n\n</div>", "pre[<div onclick=alert(1)>]p[strong[b]]pre[</div>]"],
])("HTML is never more than text: %s", (text, expected) => {
  expect(read(text)).toBe(expected);
});

test("what nests too deeply is shown as text, and what has too many parts is refused", () => {
  expect(read(`${">".repeat(60)} deep`)).toContain("deep");
  expect(() => readMarkdown("- a\n".repeat(20_001))).toThrow(RangeError);
});

test("what a browser cannot lay out is broken, left out or refused", () => {
  const [paragraph] = readMarkdown("ab לא 12 ".repeat(2_000)) as { children: (string | { tag: string })[] }[];
  const texts = paragraph?.children.filter((child) => typeof child === "string") ?? [];
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(MAX_LINE_LENGTH);
  expect(read(`a${"\u0301".repeat(100_000)}`)).toBe(`p[a${"\u0301".repeat(MAX_MARKS)}]`);
  expect(() => readMarkdown("a ".repeat(300_000))).toThrow(RangeError);
});
