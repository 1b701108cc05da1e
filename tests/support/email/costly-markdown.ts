/** The most costly Markdown that we know: `marked` looks at the rest of a paragraph, list or quote again for each mark. */

/** the longest description that is accepted */
const MAX_DESCRIPTION_LENGTH = 20_000;

/** `pattern` over and over, between `before` and `after`, as long as a description may be. */
export function repeated(pattern: string, before = "", after = ""): string {
  const room = MAX_DESCRIPTION_LENGTH - before.length - after.length;
  return before + pattern.repeat(room).slice(0, room) + after;
}

export const costlyMarkdown = [
  repeated("*a_"),
  repeated("__a*"),
  repeated("*漢_"),
  repeated("a_a_"),
  repeated("a_a"),
  repeated("_a_\ud83d"),
  repeated("_a_\ud83d", "`a|b\n-|-\n"),
  repeated("a*"),
  repeated("a*", "*".repeat(10_000)),
  repeated("~~a~"),
  repeated("!"),
  repeated("a!"),
  repeated("[a](b", ")"),
  repeated("[a](b", "", " x)"),
  repeated("[a][", ")"),
  repeated("[", ")"),
  repeated("![", ")"),
  repeated("\\[a"),
  repeated("<a"),
  repeated("<!--"),
  repeated("&b;", "http://a"),
  repeated("!", "http://a"),
  repeated(" ", "a", "a"),
  repeated("\u00a0\n"),
  repeated("a\n"),
  repeated("|a|\n|-|\n"),
  repeated("a|b\n-|-\n"),
  repeated("- a\n  "),
  repeated("- a\n  - b\n    - c\n"),
  repeated("> a\nb\n"),
  repeated("> > > a\nb\n"),
  repeated("> - a\nb\n"),
  repeated("> "),
  repeated("- ", "", "\\\na"),
  repeated("> - ", "", "\\\na"),
  repeated("1. ", "", "x\ny"),
  repeated("_a_漢"),
  repeated("*a "),
  repeated(":a:a"),
  repeated("**a。漢"),
];
