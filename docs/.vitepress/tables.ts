import type { MarkdownRenderer } from "vitepress";

/** A head of a table that says nothing is a cell: as a head, a screen reader would announce it with every cell below. */
export function emptyHeadsAreCells(md: MarkdownRenderer): void {
  md.core.ruler.push("empty-heads", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
      const close = tokens[index + 2];
      token.tag = "td";
      if (close) close.tag = "td";
    }
  });
}
