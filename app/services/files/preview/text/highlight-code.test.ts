import { describe, expect, test } from "vitest";
import { codeLanguage } from "./code-language";
import { type CodePiece, highlightCode, MAX_COLORED_PIECES } from "./highlight-code";

const textOf = (pieces: CodePiece[]) =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece[1])).join("");

/** The pieces of a kind. */
const piecesOf = (kind: string, pieces: CodePiece[]) =>
  pieces.flatMap((piece) => (piece[0] === kind && typeof piece !== "string" ? [piece[1]] : []));

test("keywords, strings, numbers, names and comments are told apart", () => {
  const text = "// Adds tax\nexport const gross = (net: number) => net * 1.2 + <b title='€'/>;\n";
  const pieces = highlightCode("typescript", text);
  expect(textOf(pieces)).toBe(text);
  expect(piecesOf("comment", pieces)).toEqual(["// Adds tax"]);
  expect(piecesOf("keyword", pieces)).toEqual(["export", "const"]);
  expect(piecesOf("value", pieces)).toEqual(["1.2"]);
  expect(piecesOf("string", pieces)).toEqual(["'€'"]);
});

test("code inside a string is coloured as code", () => {
  const pieces = highlightCode("python", `f"{total if paid else 0} EUR"`);
  expect(piecesOf("keyword", pieces)).toEqual(["if", "else"]);
  expect(piecesOf("string", pieces).join("|")).toBe('f"| EUR"');
});

test("markup in the text stays text", () => {
  const text = `<p onclick="run()">a &amp; b</p><script>alert("</b>")</script>`;
  expect(textOf(highlightCode("xml", text))).toBe(text);
});

test("text without colours between two coloured pieces is one piece", () => {
  expect(highlightCode("markdown", "*a* b *c*\n\n# d")).toEqual(["*a* b *c*\n\n", ["title", "# d"]]);
});

test("every language that a file name leads to is known", () => {
  const names =
    "a.sh a.h a.cpp a.cs a.css a.patch a.go a.graphql a.toml a.java a.jsx a.ndjson a.kt a.lua a.md";
  const more = "a.pl a.php a.py a.r a.rb a.rs a.scss a.sql a.swift a.tsx a.vue a.yml Makefile .env";
  for (const name of `${names} ${more}`.split(" ")) {
    const language = codeLanguage(name);
    expect(textOf(highlightCode(language ?? "", "x = 1")), name).toBe("x = 1");
  }
});

describe("what has no colours:", () => {
  test.each(["notes.txt", "server.log", "table.csv", "README", "constructor"])("%s", (name) => {
    expect(codeLanguage(name)).toBeNull();
  });

  test("a text of too many coloured pieces", () => {
    expect(() => highlightCode("json", `[${"1,".repeat(MAX_COLORED_PIECES)}1]`)).toThrow(RangeError);
  });
});
