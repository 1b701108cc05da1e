import { common, createLowlight } from "lowlight";

/** The kinds of token that have a colour of their own. */
export type CodeKind = "comment" | "keyword" | "string" | "value" | "title" | "name" | "removed";

/** A piece of the text; with its kind if it is coloured. */
export type CodePiece = string | [kind: CodeKind, text: string];

/** Scopes of Highlight.js: https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html */
const scopes: Record<CodeKind, string> = {
  comment: "comment quote",
  keyword: "keyword operator doctag template-tag selector-tag",
  string: "string regexp char addition link code template-variable",
  value: "number literal symbol bullet variable selector-id selector-class selector-attr selector-pseudo",
  title: "title type built_in section meta",
  name: "attr attribute property name tag",
  removed: "deletion",
};

const kindByScope = new Map(
  Object.entries(scopes).flatMap(([kind, list]) =>
    list.split(" ").map((scope) => [scope, kind as CodeKind] as const),
  ),
);

/** More elements would be slow to lay out. */
export const MAX_COLORED_PIECES = 20_000;

const lowlight = createLowlight(common);
type Node = ReturnType<typeof lowlight.highlight>["children"][number];

/**
 * Colours code. The pieces together are the text itself.
 * @param language a name of `code-language.ts`
 * @throws RangeError for too many coloured pieces
 */
export function highlightCode(language: string, text: string): CodePiece[] {
  const pieces: CodePiece[] = [];
  let colored = 0;
  const add = (nodes: readonly Node[], kind: CodeKind | undefined) => {
    for (const node of nodes) {
      if (node.type === "text") {
        const last = pieces.at(-1);
        if (kind) pieces.push([kind, node.value]);
        else if (typeof last === "string") pieces[pieces.length - 1] = last + node.value;
        else pieces.push(node.value);
        if (kind && ++colored > MAX_COLORED_PIECES) throw new RangeError("The text has too many pieces.");
      }
      if (node.type === "element") add(node.children, kindOf(node.properties.className, kind));
    }
  };
  add(lowlight.highlight(language, text, { prefix: "" }).children, undefined);
  return pieces;
}

/** @param outer the kind of what is around: code inside a string has none */
function kindOf(classNames: unknown, outer: CodeKind | undefined): CodeKind | undefined {
  const [scope = ""] = Array.isArray(classNames) ? classNames.map(String) : [];
  if (scope === "subst") return undefined;
  return kindByScope.get(scope) ?? outer;
}
