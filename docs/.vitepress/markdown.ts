/** What the site changes in how VitePress renders Markdown; links.ts changes links. */
import type { MarkdownRenderer } from "vitepress";

/** The anchor of a heading, as GitHub makes it, so that links are right in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, "")
    .replaceAll(" ", "-");
}

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

/** Shows `{{first_name}}` in code as it is written. Vue would take it for an expression. */
export function codeIsNoTemplate(md: MarkdownRenderer): void {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (...all) => (render ? render(...all) : "").replace("<code", "<code v-pre");
}
