/** A rule of a style sheet, for one simple selector: `rect`, `.a`, `#b`, `rect.a`. */
export interface StyleRule {
  /** null for any */
  element: string | null;
  id: string | null;
  classes: string[];
  /** as CSS weighs selectors */
  weight: number;
  declarations: [name: string, value: string][];
}

/** More rules are more work for each element than a drawing may cost. */
const MAX_RULES = 500;
const SELECTOR = /^([a-z]\w*|\*)?((?:[.#][\w-]+)*)$/i;

/**
 * Reads a style sheet as drawing programs write it. Fonts that it brings are ignored.
 * @throws RangeError for selectors and rules that are not known here
 */
export function readStyleSheet(css: string): StyleRule[] {
  const rules: StyleRule[] = [];
  const plain = css
    .replace(/\/\*[\s\S]*?\*\/|<!--|-->/g, "")
    .replace(/@(?:charset|import|namespace)[^;{}]*;|@font-face\s*\{[^{}]*\}/gi, "");
  for (const [, selectors = "", body = ""] of plain.matchAll(/([^{}]*)\{([^{}]*)\}/g)) {
    const declarations = readDeclarations(body);
    for (const selector of selectors.split(",")) {
      const [, element = "*", rest = ""] = SELECTOR.exec(selector.trim()) ?? [];
      if (!SELECTOR.test(selector.trim()) || selector.trim() === "" || rules.length >= MAX_RULES)
        throw new RangeError("The drawing has a style sheet that is not known.");
      const names = rest.match(/[.#][\w-]+/g) ?? [];
      const ids = names.filter((name) => name.startsWith("#"));
      const classes = names.filter((name) => name.startsWith("."));
      rules.push({
        element: element === "*" ? null : element,
        id: ids[0]?.slice(1) ?? null,
        classes: classes.map((name) => name.slice(1)),
        weight: ids.length * 10_000 + classes.length * 100 + (element === "*" ? 0 : 1),
        declarations,
      });
    }
  }
  return rules;
}

/** Reads the declarations of a rule or of a `style` attribute. Names are in lower case. */
export function readDeclarations(text: string): [name: string, value: string][] {
  return text.split(";").flatMap((declaration): [string, string][] => {
    const colon = declaration.indexOf(":");
    const value = declaration.slice(colon + 1).replace(/!\s*important\s*$/i, "");
    return colon === -1 ? [] : [[declaration.slice(0, colon).trim().toLowerCase(), value.trim()]];
  });
}
