/**
 * Mammoth reads the alignment and the indentation of paragraphs, but its HTML has neither. So `layParagraphsOut` gives such paragraphs styles of
 * our own, and `layoutRules` writes these as classes: Mammoth's README describes both, under "Document transforms" and "Custom style map".
 */

export type DocumentAlignment = "center" | "end" | "justify";

export interface Layout {
  align?: DocumentAlignment;
  /** in quarters of an inch, at most `MAX_INDENT` */
  indent?: number;
}

/** An element that Mammoth passes to `transformDocument`, with the members that are read here. */
interface MammothElement {
  type: string;
  children?: MammothElement[];
  styleId?: string | null;
  styleName?: string | null;
  /** WordprocessingML's `w:jc` */
  alignment?: string | null;
  /** of a list item */
  numbering?: object | null;
  /** twentieths of a point, as texts */
  indent?: { start?: string | null; hanging?: string | null };
}

/** Word's names. In a paragraph that is read from right to left, its `left` is the right side. */
const alignments: Record<string, DocumentAlignment> = {
  center: "center",
  right: "end",
  end: "end",
  both: "justify",
  distribute: "justify",
};

const QUARTER_INCH = 360;
/** Two inches. */
const MAX_INDENT = 8;

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
const aligned = ["", "center", "end", "justify"];
const indents = Array.from({ length: MAX_INDENT + 1 }, (_, indent) => indent);

/** Rules of Mammoth's style map, one for each tag, alignment and indentation. */
export const layoutRules: string[] = [...headings, "p"].flatMap((tag) =>
  aligned.flatMap((align) =>
    indents
      .filter((indent) => (align !== "" || indent > 0) && (tag === "p" || indent === 0))
      .map((indent) => {
        const classes = [align, indent > 0 && `indent-${indent}`].filter(Boolean).join(".");
        return `p[style-name='${styleOf(tag, align, indent)}'] => ${tag}.${classes}:fresh`;
      }),
  ),
);

function styleOf(tag: string, align: string, indent: number): string {
  return ["Laid out", tag, align, indent].filter(Boolean).join(" ");
}

/** Gives aligned and indented paragraphs the styles of `layoutRules`. Lists keep theirs. */
export function layParagraphsOut(element: MammothElement): MammothElement {
  const { type, children, numbering } = element;
  if (type !== "paragraph")
    return children ? { ...element, children: children.map(layParagraphsOut) } : element;
  const tag = tagOf(element);
  const align = alignments[element.alignment ?? ""] ?? "";
  const indent = tag === "p" ? indentOf(element) : 0;
  if (numbering || (align === "" && indent === 0)) return element;
  return { ...element, styleId: null, styleName: styleOf(tag, align, indent) };
}

/** As Mammoth's own style map has it, and our title. */
function tagOf({ styleId, styleName }: MammothElement): string {
  if (styleName === "Title" || styleName === "Heading" || styleId === "Heading") return "h1";
  const level =
    /^Heading([1-6])$/.exec(styleId ?? "")?.[1] ?? /^heading ([1-6])$/i.exec(styleName ?? "")?.[1];
  return level === undefined ? "p" : `h${level}`;
}

/** The indentation of the first line. A first line that hangs out to the left is not shown as such. */
function indentOf({ indent }: MammothElement): number {
  const twips = Number(indent?.start ?? 0) - Number(indent?.hanging ?? 0);
  return Math.min(Math.max(Math.round(twips / QUARTER_INCH) || 0, 0), MAX_INDENT);
}

/** Reads the classes that `layoutRules` writes. */
export function readLayout(classes: string): Layout {
  const layout: Layout = {};
  for (const name of classes.split(" ")) {
    if (name === "center" || name === "end" || name === "justify") layout.align = name;
    const [, indent] = /^indent-([1-8])$/.exec(name) ?? [];
    if (indent) layout.indent = Number(indent);
  }
  return layout;
}
