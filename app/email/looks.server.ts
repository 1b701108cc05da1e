import type { Direction } from "./email-language.server";
import { createLayout, type Layout } from "./layout.server";
import { createMarkdownRenderer, type MarkdownRenderer } from "./markdown.server";
import { type ThemeName, themes } from "./themes";

/** A theme in one direction. */
export interface Look {
  layout: Layout;
  renderMarkdown: MarkdownRenderer;
}

const made = new Map<string, Look>();

/** The look of an e-mail, made when it is first asked for: it takes some 40 ms, and there are eight. */
export function lookOf(theme: ThemeName, dir: Direction): Look {
  const name = `${theme} ${dir}`;
  let look = made.get(name);
  if (look === undefined) {
    const layout = createLayout(themes[theme], dir);
    look = { layout, renderMarkdown: createMarkdownRenderer(layout) };
    made.set(name, look);
  }
  return look;
}
