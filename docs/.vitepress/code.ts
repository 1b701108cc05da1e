import type { MarkdownRenderer } from "vitepress";

/** Shows `{{first_name}}` in code as it is written. Vue would take it for an expression. */
export function codeIsNoTemplate(md: MarkdownRenderer): void {
  const render = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (...all) => (render ? render(...all) : "").replace("<code", "<code v-pre");
}
