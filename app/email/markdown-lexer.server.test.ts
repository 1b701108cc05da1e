import fc from "fast-check";
import { Marked, Tokenizer } from "marked";
import { describe, expect, it } from "vitest";
import { lookOf } from "./looks.server";
import { boldBetweenCjk } from "./markdown-cjk.server";
import { MarkdownLexer } from "./markdown-lexer.server";
import { lastMarkdownWork, MAX_MARKDOWN_WORK } from "./markdown-metering.server";

const render = lookOf("blue", "ltr").renderMarkdown;
/** the longest description, characters */
const LONGEST = 20_000;
const filled = (pattern: string, before = "", after = "") =>
  before + pattern.repeat(LONGEST).slice(0, LONGEST - before.length - after.length) + after;

const refusal = (message: string) =>
  expect.objectContaining({
    code: "invalid_request",
    issues: [{ path: "description", message: expect.stringContaining(message) }],
  });

describe("reading Markdown", () => {
  // Each cost 50 ms to 8 s of processor time before its work was counted, or did so with another weight.
  it.each([
    ["*a_", "", ""],
    ["__a*", "", ""],
    ["*漢_", "", ""],
    ["a_a_", "", ""],
    ["a_a", "", ""],
    ["_a_\ud83d", "", ""],
    ["_a_\ud83d", "", "`a|b\n-|-\n"],
    ["a*", "", ""],
    ["a*", "*".repeat(10_000), ""],
    ["~~a~", "", ""],
    ["!", "", ""],
    ["a!", "", ""],
    ["[a](b", ")", ""],
    ["[a](b", "", " x)"],
    ["[a][", ")", ""],
    ["[", ")", ""],
    ["![", ")", ""],
    ["\\[a", "", ""],
    ["<a", "", ""],
    ["<!--", "", ""],
    ["&b;", "http://a", ""],
    ["!", "http://a", ""],
    [" ", "a", "a"],
    ["\u00a0\n", "", ""],
    ["a\n", "", ""],
    ["|a|\n|-|\n", "", ""],
    ["a|b\n-|-\n", "", ""],
    ["- a\n  ", "", ""],
    ["- a\n  - b\n    - c\n", "", ""],
    ["> a\nb\n", "", ""],
    ["> > > a\nb\n", "", ""],
    ["> - a\nb\n", "", ""],
    ["- ", "", "\\\na"],
    ["> - ", "", "\\\na"],
    ["1. ", "", "x\ny"],
  ])("stops at %j over and over", (pattern, before, after) => {
    expect(() => render(filled(pattern, before, after))).toThrow(refusal("too many marks"));
    expect(lastMarkdownWork()).toBeGreaterThan(MAX_MARKDOWN_WORK);
  });

  it.each([
    ["quotes", `${"> ".repeat(17)}a`],
    ["lists", `${"- ".repeat(17)}a`],
    ["numbered lists", `${"1. ".repeat(17)}a`],
    ["quotes and lists in turn", `${"> - ".repeat(9)}a`],
  ])("goes 16 levels deep and no deeper: %s", (_name, markdown) => {
    expect(() => render(markdown)).toThrow(refusal("too deeply"));
    expect(render(markdown.replace(/^(> - |> |- |1\. )/, "")).text).toContain("a");
  });

  it.each(["_a_漢", "*a ", "\\a", "a:b@c.d ", ":a:a", "**a。漢", "**。漢", "**漢。 "])(
    "takes %j over and over, which costs much, but not too much",
    (pattern) => {
      expect(render(filled(pattern)).html).toContain("a");
      expect(lastMarkdownWork()).toBeGreaterThan(LONGEST);
      expect(lastMarkdownWork()).toBeLessThan(MAX_MARKDOWN_WORK);
    },
  );

  it("takes half a surrogate pair as the character for what cannot be shown", () => {
    expect(render("a \ud83d *b*").text).toBe("a \ufffd b");
  });

  const words = "The new lamps are here, and the workshop opens again after the holidays. ";
  const rich =
    "Hello **Ada**, your _order_ of [ten lamps](https://shop.example/o/1?a=1&b=2) is `ready`: see https://x.example :tada: or snake_case, 5 * 3! ";
  it.each([
    ["one paragraph of plain words", filled(words)],
    ["one paragraph of 280 bold words", filled(`**Lamps** ${words}`.slice(0, 70))],
    ["one paragraph with 140 of each mark", filled(rich)],
    ["lines without a blank line between them", filled(`${rich}\n`)],
    ["paragraphs", filled(`${rich}${rich}\n\n`)],
    ["a list with marks", filled(`- ${rich}\n`)],
    ["lists in lists", filled(`- ${words}\n  - **${words.trim()}**\n    1. ${words}\n`)],
    ["quotes", filled(`> ${rich}\n> ${words}\n\n${words}\n\n`)],
    ["headings and rules", filled(`## The **news**\n\n${rich}\n\n---\n\n`)],
    [
      "Japanese",
      filled(
        "新しいランプが届きました。**本日**より、_工房_も開きます。ご覧ください：[店](https://shop.example/) \n\n",
      ),
    ],
    ["text in angle brackets and brackets", filled(`See <name> and [1], [2] or "x < y" ${words}`)],
    ["one word", filled("a")],
    ["a long address", `https://x.example/?${"a=1&".repeat(450)}`],
  ])("has room for a long e-mail: %s", (_name, markdown) => {
    expect(render(markdown).text.length).toBeGreaterThan(1_000);
    expect(lastMarkdownWork()).toBeLessThan(MAX_MARKDOWN_WORK * 0.75);
  });

  it("reads as marked does, whatever the text", () => {
    const shortcode = /:[a-z0-9+_-]+:/;
    const extension = {
      name: "emoji",
      level: "inline" as const,
      start(this: { lexer: unknown }, source: string) {
        const index = source.match(shortcode)?.index;
        if (this.lexer instanceof MarkdownLexer) expect(this.lexer.nextShortcode(source)).toBe(index);
        return index;
      },
      tokenizer(source: string) {
        const [raw] = /^:(tada|a):/.exec(source) ?? [];
        return raw === undefined ? undefined : { type: "text", raw, text: "🎉" };
      },
    };
    const off = () => undefined;
    const reader = new Marked({
      gfm: true,
      breaks: true,
      extensions: [extension],
      tokenizer: {
        html: off,
        tag: off,
        table: off,
        code: off,
        emStrong(source, masked, previous = "") {
          const read = Tokenizer.prototype.emStrong.call(this, source, masked, previous);
          return read ?? boldBetweenCjk(this.lexer, source, masked, previous, () => {});
        },
      },
    });
    const pieces = fc.constantFrom(
      ..."* ** _ __ ~ ~~ ` `` [ ] ( ) [a](b) [a][b] ![a](b) < > <a> <https://a.example> https://a.example www.a.example a@b.example \\ :a: :tada: : ! a b é 漢 。 🎉 & &amp;".split(
        " ",
      ),
      ..." |\n|\n\n|\n- |\n  - |\n1. |\n> |\n# |\n```\n|\n    |\n---\n|\n===\n|\n[b]: https://b.example 'c'\n|a|b\n-|-\n|\t".split(
        "|",
      ),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const markdown = parts.join("");
        expect(new MarkdownLexer({ ...reader.defaults, cjk: true }).lex(markdown)).toEqual(
          reader.lexer(markdown),
        );
      }),
      { numRuns: 3_000 },
    );
  });
});
