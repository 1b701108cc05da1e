import juice from "juice";

/** Writes values into the places they are named by. Values are HTML: whoever calls has escaped what is not. */
export type Template<Slot extends string> = (values: Record<Slot, string>) => string;

/**
 * Makes a template of `html`, whose places are marked `{{name}}`: `css` is inlined here, once, so that filling it in is
 * joining strings. What is filled in never goes through juice.
 */
export function compileTemplate<Slot extends string = never>(html: string, css: string): Template<Slot> {
  const inlined = juice.inlineContent(html.replace(/\s*\n\s*/g, ""), rulesFor(html, css), {
    applyStyleTags: false,
    removeStyleTags: false,
    applyHeightAttributes: false,
    applyWidthAttributes: false,
  });
  const parts = inlined.split(/{{(\w+)}}/);
  return (values) => {
    let filled = parts[0] ?? "";
    for (let at = 1; at < parts.length; at += 2) {
      filled += values[parts[at] as Slot] + parts[at + 1];
    }
    return filled;
  };
}

/** The rules of the classes and elements in `html`: juice reads the whole style sheet for each piece. Each rule is a line. */
function rulesFor(html: string, css: string): string {
  const mayApply = (rule: string) => {
    const [, dot, name] = /^\s*(\.?)([\w-]+)/.exec(rule) ?? [];
    return name !== undefined && new RegExp(dot ? `[" ]${name}[" ]` : `<${name}\\b`).test(html);
  };
  return css.split("\n").filter(mayApply).join("\n");
}
