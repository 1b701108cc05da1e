import { DocumentNumbering, isOn, type NumberReference, readNumberReference } from "./document-numbering";
import { equationText } from "./equation-text";
import { attributeOf, childOf, elementsOf, readXmlTree, writeXmlTree, type XmlElement } from "./read-xml";
import type { OfficeParts } from "./unpack";

/**
 * Mammoth leaves out numbers of paragraphs, fields without a run of their own, equations, ruby, text of a forced direction and deleted text,
 * and shows hidden text. So these are written as runs, which it reads, before it does. It knows the added ones by the styles below.
 */

type Node = XmlElement | string;

/** Rules of Mammoth's style map. */
export const preparedRules: string[] = [
  "r.preview-inserted => ins",
  "r.preview-deleted => del",
  "r.preview-ruby-base => ruby",
  "r.preview-ruby-text => ruby > rt:fresh",
];

/** The parts whose text is shown. */
const textParts = /^word\/(document\d*|footnotes|endnotes)\.xml$/;
/** The addresses of their links. */
const relationParts = /^word\/_rels\/.*\.rels$/;

/**
 * Writes the parts with text, and with addresses, anew.
 * @throws OfficeProblem `damaged`
 */
export function prepareDocument(parts: OfficeParts): OfficeParts {
  const styles = new Styles(parts["word/styles.xml"]);
  const encoder = new TextEncoder();
  return Object.fromEntries(
    Object.entries(parts).map(([path, part]) => {
      const hasText = textParts.test(path);
      if (!hasText && !relationParts.test(path)) return [path, part];
      const root = readXmlTree(part);
      if (hasText) new Preparer(root, styles, parts["word/numbering.xml"]).prepare();
      return [path, encoder.encode(writeXmlTree(root))];
    }),
  );
}

interface Style {
  parent: string | undefined;
  number: NumberReference | null;
  /** undefined where the style does not say */
  isHidden: boolean | undefined;
}

class Styles {
  readonly #styles = new Map<string, Style>();
  #defaultId: string | undefined;

  constructor(part: Uint8Array | undefined) {
    if (!part) return;
    for (const style of elementsOf(readXmlTree(part))) {
      const id = attributeOf(style, "styleId");
      if (style.name !== "style" || id === undefined) continue;
      this.#styles.set(id, {
        parent: attributeOf(childOf(style, "basedOn"), "val"),
        number: readNumberReference(childOf(style, "pPr")),
        isHidden: isHidden(childOf(style, "rPr")),
      });
      const isDefault = attributeOf(style, "default") === "1" && attributeOf(style, "type") === "paragraph";
      if (isDefault) this.#defaultId = id;
    }
  }

  /** A style and those that it is based on. @param id undefined for the style of paragraphs that name none */
  *#chain(id: string | undefined): Generator<[id: string, style: Style]> {
    const seen = new Set<string>();
    for (let next = id ?? this.#defaultId; next !== undefined && !seen.has(next); ) {
      seen.add(next);
      const style = this.#styles.get(next);
      if (!style) return;
      yield [next, style];
      next = style.parent;
    }
  }

  isHidden(id: string | undefined): boolean | undefined {
    for (const [, style] of this.#chain(id)) if (style.isHidden !== undefined) return style.isHidden;
  }

  /** The list of a style, and the style of the chain that has it. */
  numberOf(id: string | undefined): (NumberReference & { styleId: string }) | null {
    for (const [styleId, { number }] of this.#chain(id))
      if (number?.listId !== undefined) return { ...number, styleId };
    return null;
  }
}

/** Whether run properties hide the text; undefined where they do not say. */
function isHidden(properties: XmlElement | undefined): boolean | undefined {
  const vanish = childOf(properties, "vanish");
  return vanish && isOn(vanish);
}

type Change = "inserted" | "deleted" | null;

/** They are replaced by what is in them. */
const wrappers = new Set(["fldSimple", "dir", "bdo", "smartTag"]);
/** Of paragraphs, rows and cells. They also say that the whole was inserted or deleted, and Mammoth would leave it out. */
const properties = new Set(["pPr", "trPr", "tcPr"]);
const tracked = new Set(["ins", "del", "moveFrom", "moveTo", "cellIns", "cellDel"]);

class Preparer {
  readonly #numbering: DocumentNumbering;
  readonly #prefix: string;
  /** Whether each open field is still at its instruction, which is not shown. */
  readonly #fields: { isInstruction: boolean }[] = [];
  /** of the notes that were referred to */
  readonly #notes = new Set<string>();

  constructor(
    readonly root: XmlElement,
    readonly styles: Styles,
    numbering: Uint8Array | undefined,
  ) {
    this.#numbering = new DocumentNumbering(numbering, (id) => styles.numberOf(id)?.listId);
    this.#prefix = root.fullName.slice(0, root.fullName.length - root.name.length);
  }

  prepare(): void {
    this.root.children = this.#all(this.root.children, undefined, null);
  }

  /** @param styleId of the paragraph around the nodes */
  #all(nodes: Node[], styleId: string | undefined, change: Change): Node[] {
    return nodes.flatMap((node) => (typeof node === "string" ? [node] : this.#one(node, styleId, change)));
  }

  #one(element: XmlElement, styleId: string | undefined, change: Change): Node[] {
    const { name, children } = element;
    if (wrappers.has(name)) return this.#all(children, styleId, change);
    if (properties.has(name)) return [withoutTracking(element)];
    switch (name) {
      case "AlternateContent": {
        const content = childOf(element, "Fallback") ?? childOf(element, "Choice");
        return this.#all(content?.children ?? [], styleId, change);
      }
      case "ins":
      case "moveTo":
        return this.#all(children, styleId, "inserted");
      case "del":
      case "moveFrom":
        return this.#all(children, styleId, "deleted");
      case "oMath":
        return [this.#run(equationText(element))];
      case "oMathPara":
        return elementsOf(element)
          .filter((child) => child.name === "oMath")
          .flatMap((child) => this.#one(child, styleId, change));
      case "p":
        return this.#paragraph(element, change);
      case "r":
        return this.#runOf(element, styleId, change);
      case "footnoteReference":
      case "endnoteReference": {
        // Mammoth writes a note as often as it is referred to. Word refers to each once.
        const note = `${name} ${attributeOf(element, "id")}`;
        if (this.#notes.has(note)) return [];
        this.#notes.add(note);
        return [element];
      }
      case "delText":
        return [{ ...element, name: "t", fullName: `${this.#prefix}t` }];
      case "cr":
        return [this.#element("br")];
      case "ptab":
        return [this.#element("tab")];
      case "drawing": {
        const boxes = textBoxesOf(element);
        return boxes.length === 0 ? [element] : [this.#element("pict", this.#all(boxes, undefined, change))];
      }
      default:
        element.children = this.#all(children, styleId, change);
        return [element];
    }
  }

  #paragraph(element: XmlElement, change: Change): Node[] {
    const settings = childOf(element, "pPr");
    const styleId = attributeOf(childOf(settings, "pStyle"), "val");
    const isMarkHidden = isHidden(childOf(settings, "rPr")) ?? this.styles.isHidden(styleId) ?? false;
    const label = isMarkHidden && this.#hasNoText(element, styleId) ? null : this.#labelOf(settings, styleId);
    const content = element.children.filter((child) => child !== settings);
    element.children = [
      ...(settings ? [withoutTracking(settings)] : []),
      ...(label ? [this.#run(label)] : []),
      ...this.#all(content, styleId, change),
    ];
    return [element];
  }

  #hasNoText(element: XmlElement, styleId: string | undefined): boolean {
    return elementsOf(element).every((child) =>
      child.name === "r"
        ? this.#isHidden(child, styleId)
        : properties.has(child.name) || this.#hasNoText(child, styleId),
    );
  }

  #labelOf(settings: XmlElement | undefined, styleId: string | undefined): string | null {
    const own = readNumberReference(settings);
    const inherited = this.styles.numberOf(styleId);
    const listId = own?.listId ?? inherited?.listId;
    if (listId === undefined) return null;
    const byStyle = inherited && this.#numbering.levelOfStyle(listId, inherited.styleId);
    const level =
      own?.level ?? (own?.listId === undefined ? (inherited?.level ?? byStyle ?? undefined) : undefined);
    return this.#numbering.next(listId, level ?? 0);
  }

  #isHidden(run: XmlElement, styleId: string | undefined): boolean {
    const settings = childOf(run, "rPr");
    const runStyle = attributeOf(childOf(settings, "rStyle"), "val");
    const byStyle = runStyle === undefined ? undefined : this.styles.isHidden(runStyle);
    return isHidden(settings) ?? byStyle ?? this.styles.isHidden(styleId) ?? false;
  }

  #runOf(element: XmlElement, styleId: string | undefined, change: Change): Node[] {
    const hidden = this.#isHidden(element, styleId);
    const ruby = childOf(element, "ruby");
    if (ruby) return hidden ? [] : this.#ruby(ruby, styleId, change);
    const settings = childOf(element, "rPr");
    const children: Node[] = [];
    for (const child of element.children) {
      if (child === settings) continue;
      const isField = typeof child !== "string" && this.#followField(child);
      if (isField || (!hidden && !this.#fields.some(({ isInstruction }) => isInstruction)))
        children.push(...this.#all([child], styleId, change));
    }
    element.children = [...(settings ? [settings] : []), ...children];
    if (change) this.#setStyle(element, `preview-${change}`);
    return [element];
  }

  /** @returns whether the element belongs to a field, and not to its text */
  #followField(element: XmlElement): boolean {
    if (element.name === "instrText") return true;
    if (element.name !== "fldChar") return false;
    const type = attributeOf(element, "fldCharType");
    const last = this.#fields.at(-1);
    if (type === "begin") this.#fields.push({ isInstruction: true });
    else if (type === "separate" && last) last.isInstruction = false;
    else if (type === "end") this.#fields.pop();
    return true;
  }

  /** A word, and the text above it. */
  #ruby(ruby: XmlElement, styleId: string | undefined, change: Change): Node[] {
    const parts = [
      ["rubyBase", "preview-ruby-base"],
      ["rt", "preview-ruby-text"],
    ] as const;
    return parts.flatMap(([name, style]) => {
      const runs = this.#all(childOf(ruby, name)?.children ?? [], styleId, change);
      for (const run of runs) if (typeof run !== "string" && run.name === "r") this.#setStyle(run, style);
      return runs;
    });
  }

  #setStyle(run: XmlElement, id: string): void {
    const settings = childOf(run, "rPr") ?? this.#element("rPr");
    const style = this.#element("rStyle", [], { [`${this.#prefix}val`]: id });
    const others = settings.children.filter((child) => typeof child === "string" || child.name !== "rStyle");
    run.children = [
      { ...settings, children: [style, ...others] },
      ...run.children.filter((child) => child !== settings),
    ];
  }

  #run(text: string): XmlElement {
    return this.#element("r", [this.#element("t", [text], { "xml:space": "preserve" })]);
  }

  #element(name: string, children: Node[] = [], attributes: Record<string, string> = {}): XmlElement {
    return { name, fullName: this.#prefix + name, attributes, children };
  }
}

function withoutTracking(element: XmlElement): XmlElement {
  const children = element.children
    .filter((child) => typeof child === "string" || !tracked.has(child.name))
    .map((child) => (typeof child !== "string" && child.name === "rPr" ? withoutTracking(child) : child));
  return { ...element, children };
}

/** The texts of a drawing. */
function textBoxesOf(element: XmlElement): XmlElement[] {
  return elementsOf(element).flatMap((child) =>
    child.name === "txbxContent" ? [child] : textBoxesOf(child),
  );
}
