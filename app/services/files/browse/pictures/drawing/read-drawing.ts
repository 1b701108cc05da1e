import { Parser } from "htmlparser2";
import { limitMarks } from "../../../../../locales/visible-text";
import { MAX_LINE_LENGTH } from "../../../screen/bounded-text";
import { imageSize } from "../image-size";
import { measurePath, numbersOf } from "./measure-path";
import { readDeclarations, readStyleSheet, type StyleRule } from "./read-styles";

/**
 * An SVG that is cheap to render: written anew from elements and attributes of a fixed list, and counted. Browsers render SVGs in the page's own
 * process, where nothing ends them, and a few hundred bytes can keep them busy for ever.
 */

/** What a drawing may cost, with everything that it refers to as often as it does. */
export interface DrawingLimits {
  /** elements; layers, filters and clips count as several */
  elements: number;
  /** pieces of lines, dashes and letters */
  segments: number;
  /** of one shape: browsers compare each with all others */
  segmentsOfShape: number;
  /** pixels of all images in it */
  pixels: number;
  /** whether it may have clips, masks, filters, patterns, markers and images */
  effects: boolean;
}

export const THUMBNAIL_LIMITS: DrawingLimits = {
  elements: 1_000,
  segments: 10_000,
  segmentsOfShape: 2_000,
  pixels: 0,
  effects: false,
};
export const PREVIEW_LIMITS: DrawingLimits = {
  elements: 10_000,
  segments: 100_000,
  segmentsOfShape: 10_000,
  pixels: 20_000_000,
  effects: true,
};

/** Of elements in each other, references included. Each may be a layer of its own. */
const MAX_DEPTH = 50;
/** Elements and attributes that are read at all. */
const MAX_READ = 100_000;
/** What an element costs that is drawn into a layer of its own. */
const LAYER_COST = 20;
const FILTER_COST = 200;
/** What a letter costs, in segments. */
const LETTER_COST = 10;
/** Of the description of a path, characters. */
const MAX_PATH_LENGTH = 2_000_000;
/** Pixels; browsers draw nothing larger. */
const MAX_SIZE = 10_000;
/** Of a drawing that does not say: as HTML has it for embedded content. */
const DEFAULT_SIZE = { width: 300, height: 150 };

const words = (text: string) => new Set(text.split(" "));

const shapes = words("path rect circle ellipse line polyline polygon");
const containers = words(
  "svg g defs symbol a switch text tspan textPath linearGradient radialGradient stop use",
);
const filters = words(
  "feGaussianBlur feOffset feFlood feBlend feColorMatrix feComposite feMerge feMergeNode feDropShadow feComponentTransfer feFuncR feFuncG feFuncB feFuncA",
);
const effects = words("clipPath mask pattern marker filter image");
/** What is in them is drawn where something refers to them, by the properties that they inherit where they are. */
const drawnElsewhere = words("mask pattern marker");
/** They draw nothing, or only later. A drawing is shown as it is at its beginning. */
const ignored = words(
  "title desc metadata script animate animateMotion animateTransform animateColor set mpath view style cursor",
);

const geometry = words(
  "d x y x1 y1 x2 y2 cx cy r rx ry fx fy fr width height points dx dy rotate textLength lengthAdjust startOffset offset " +
    "viewBox preserveAspectRatio transform gradientTransform patternTransform gradientUnits patternUnits patternContentUnits " +
    "spreadMethod clipPathUnits maskUnits maskContentUnits markerWidth markerHeight markerUnits refX refY orient " +
    "filterUnits primitiveUnits in in2 result stdDeviation values type mode operator k1 k2 k3 k4 slope intercept amplitude exponent tableValues",
);
const styles = words(
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit " +
    "stroke-dasharray stroke-dashoffset vector-effect opacity color display visibility overflow clip-rule paint-order " +
    "stop-color stop-opacity flood-color flood-opacity mix-blend-mode isolation color-interpolation-filters mask-type " +
    "font-family font-size font-weight font-style font-variant text-anchor dominant-baseline alignment-baseline baseline-shift " +
    "letter-spacing word-spacing text-decoration direction writing-mode",
);
/** They name other elements, and nothing else is allowed in them. */
const references = words("clip-path mask filter marker-start marker-mid marker-end");

interface Element {
  name: string;
  attributes: Map<string, string>;
  children: (Element | string)[];
}

/**
 * Reads an SVG.
 * @returns the SVG to draw
 * @throws RangeError for what is not allowed or costs too much; Error for what is no SVG
 */
export function readDrawing(svg: string, limits: DrawingLimits): string {
  const root = parse(svg, limits);
  new CostCounter(root, limits).check();
  setSize(root);
  return write(root);
}

interface Open {
  element: Element | null;
  name: string;
}

function parse(svg: string, limits: DrawingLimits): Element {
  const open: Open[] = [];
  const rules: StyleRule[] = [];
  let root: Element | null = null;
  let read = 0;
  let css = "";
  const parser = new Parser(
    {
      onopentag(fullName, attributes) {
        read += 1 + Object.keys(attributes).length;
        if (read > MAX_READ) throw new RangeError("The drawing has too many elements.");
        if (open.length > MAX_DEPTH)
          throw new RangeError("The elements of the drawing are nested too deeply.");
        const name = fullName.replace(/^svg:/, "");
        const parent = open.at(-1);
        if (name === "style") css = "";
        const isOurs =
          root === null ? name === "svg" : parent?.element && isAllowed(name, parent.name, limits);
        const element: Element | null = isOurs
          ? { name, attributes: new Map(Object.entries(attributes)), children: [] }
          : null;
        if (element) {
          root ??= element;
          parent?.element?.children.push(element);
        }
        open.push({ element, name });
      },
      ontext(text) {
        const at = open.at(-1);
        if (at?.name === "style") css += text;
        else if (at?.element && ["text", "tspan", "textPath"].includes(at.name))
          at.element.children.push(limitMarks(text));
      },
      onclosetag() {
        const closed = open.pop();
        if (closed?.name === "style") rules.push(...readStyleSheet(css));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(svg);
  if (root === null) throw new Error("There is no drawing in the file.");
  applyStyles(root, rules);
  return root;
}

/** @throws RangeError for elements of SVG that are not allowed */
function isAllowed(name: string, parent: string, limits: DrawingLimits): boolean {
  if (shapes.has(name) || containers.has(name)) return true;
  if ((effects.has(name) || filters.has(name)) && limits.effects) return true;
  // Elements of other namespaces are notes of the program that wrote them. A `switch` has something else to show.
  if (ignored.has(name) || name.includes(":") || parent === "switch") return false;
  throw new RangeError(`The drawing has an element that is not allowed: ${name.slice(0, 50)}`);
}

/** Replaces each element's attributes by the allowed ones, with what style sheets say. */
function applyStyles(element: Element, rules: readonly StyleRule[]): void {
  const own = element.attributes;
  const allowed = new Map<string, string>();
  const set = (name: string, value: string) => {
    if (references.has(name)) {
      const target = referenceIn(value);
      if (target !== null) allowed.set(name, `url(#${target})`);
      else if (value !== "none") throw new RangeError(`The drawing has a value that is not allowed: ${name}`);
    } else if (styles.has(name)) {
      if (!isPlain(value)) throw new RangeError(`The drawing has a value that is not allowed: ${name}`);
      allowed.set(name, value);
    }
  };
  const id = own.get("id");
  if (id !== undefined && ID.test(id)) allowed.set("id", id);
  for (const [name, value] of own) {
    if (geometry.has(name) && isPlain(value)) allowed.set(name, value);
    else set(name, value.trim());
  }
  const classes = new Set((own.get("class") ?? "").split(/\s+/));
  const matching = rules.filter(
    (rule) =>
      (rule.element === null || rule.element === element.name) &&
      (rule.id === null || rule.id === id) &&
      rule.classes.every((name) => classes.has(name)),
  );
  matching.sort((a, b) => a.weight - b.weight);
  for (const { declarations } of matching) for (const [name, value] of declarations) set(name, value);
  const style = own.get("style") ?? "";
  // An entity of the document type, which is not read.
  if (style.includes("&")) throw new RangeError("The drawing has styles that are not known.");
  for (const [name, value] of readDeclarations(style)) set(name, value);
  const href = own.get("href") ?? own.get("xlink:href");
  if (href !== undefined && element.name === "image") allowed.set("href", imageIn(href));
  else if (href?.startsWith("#") && ID.test(href.slice(1))) allowed.set("href", href);
  element.attributes = allowed;
  for (const child of element.children) if (typeof child !== "string") applyStyles(child, rules);
}

/** No escapes, which could hide a reference, and no references but one to a paint. */
const isPlain = (value: string) =>
  !/[\\<>&@]/.test(value) &&
  !/(?:url|image|image-set|element|src|attr|var|env)\s*\(/i.test(value.replace(REFERENCE, ""));

const ID = /^[\w.:\p{L}\p{N}-]+$/u;
const REFERENCE = /^url\(\s*["']?#([\w.:\p{L}\p{N}-]+)["']?\s*\)/iu;
const referenceIn = (value: string): string | null => REFERENCE.exec(value)?.[1] ?? null;

/** @throws RangeError for anything but a picture that is in the drawing */
function imageIn(href: string): string {
  const clean = href.replace(/\s/g, "");
  if (!/^data:image\/(png|jpe?g|gif|webp);base64,[A-Za-z0-9+/=]*$/.test(clean))
    throw new RangeError("The drawing has an image that is not allowed.");
  return clean;
}

/** What an element costs with everything in it and everything that it refers to. */
interface Cost {
  elements: number;
  segments: number;
  depth: number;
}

class CostCounter {
  readonly #byId = new Map<string, Element>();
  readonly #known = new Map<Element, Cost>();
  /** the elements whose cost is being counted: one that refers to them would never end */
  readonly #counting = new Set<Element>();
  #pixels = 0;

  constructor(
    private readonly root: Element,
    private readonly limits: DrawingLimits,
  ) {
    this.#collect(root);
  }

  #collect(element: Element): void {
    const id = element.attributes.get("id");
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, element);
    for (const child of element.children) if (typeof child !== "string") this.#collect(child);
  }

  /** @throws RangeError for a drawing that costs too much */
  check(): void {
    const { elements, segments, depth } = this.#costOf(this.root, null);
    if (!(elements <= this.limits.elements && segments <= this.limits.segments && depth <= MAX_DEPTH))
      throw new RangeError("The drawing costs too much.");
  }

  /** @param outerDash length of a dash and its gap that the element inherits; null for none */
  #costOf(element: Element, outerDash: number | null): Cost {
    const { name, attributes, children } = element;
    const dash = dashOf(attributes.get("stroke-dasharray"), outerDash);
    const known = outerDash === null && this.#known.get(element);
    if (known) return known;
    if (this.#counting.has(element)) throw new RangeError("The drawing refers to itself.");
    this.#counting.add(element);
    const cost: Cost = { elements: 1, segments: 0, depth: 0 };
    const add = (other: Cost, times = 1) => {
      cost.elements += other.elements * times;
      cost.segments += other.segments * times;
      cost.depth = Math.max(cost.depth, other.depth);
    };
    for (const child of children) {
      if (typeof child !== "string") add(this.#costOf(child, dash));
      else if (child.length > MAX_LINE_LENGTH) throw new RangeError("The drawing has too long a text.");
      // Nobody knows how long the outlines of letters are.
      else if (dash !== null) throw new RangeError("The drawing has dashes that cannot be counted.");
      else cost.segments += child.length * LETTER_COST;
    }
    if ((attributes.get("d") ?? attributes.get("points") ?? "").length > MAX_PATH_LENGTH)
      throw new RangeError("The drawing has too long a path.");
    const shape = shapeOf(element);
    if (shape.segments > this.limits.segmentsOfShape)
      throw new RangeError("The drawing has a shape of too many segments.");
    cost.segments += shape.segments;
    if (dash !== null && shapes.has(name)) {
      // Dashes of a constant width on the screen cannot be counted.
      if (attributes.has("vector-effect"))
        throw new RangeError("The drawing has dashes that cannot be counted.");
      cost.segments += shape.length / dash;
    }
    // What is used inherits the dashes here. A marker, mask or pattern has them as often as it is drawn.
    if ((dash !== null && name === "use") || (outerDash !== null && drawnElsewhere.has(name)))
      throw new RangeError("The drawing has dashes that cannot be counted.");
    if (name === "image") this.#countPixels(attributes.get("href") ?? "");
    for (const [attribute, value] of attributes) {
      const target = attribute === "href" && value.startsWith("#") ? value.slice(1) : referenceIn(value);
      const referred = target === null ? undefined : this.#byId.get(target);
      // A marker is drawn at each point of a shape.
      if (referred)
        add(this.#costOf(referred, null), attribute.startsWith("marker") ? shape.segments + 1 : 1);
    }
    if (filters.has(name)) cost.elements += FILTER_COST;
    const hasLayer = ["mask", "filter", "clip-path", "mix-blend-mode"].some((each) => attributes.has(each));
    // Also in per cent, which is no number.
    const isOpaque = Number(attributes.get("opacity") ?? 1) >= 1;
    if (hasLayer || !isOpaque) cost.elements += LAYER_COST;
    cost.depth++;
    this.#counting.delete(element);
    if (outerDash === null) this.#known.set(element, cost);
    return cost;
  }

  /** @throws RangeError for too many pixels */
  #countPixels(href: string): void {
    const bytes = Uint8Array.from(atob(href.slice(href.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
    const size = imageSize(bytes);
    this.#pixels += size ? size.width * size.height : Number.POSITIVE_INFINITY;
    if (this.#pixels > this.limits.pixels) throw new RangeError("The drawing has too large an image.");
  }
}

/** The length of a dash and its gap; null if lines are not dashed. @throws RangeError if that cannot be counted */
function dashOf(value: string | undefined, outer: number | null): number | null {
  if (value === undefined || value === "inherit") return outer;
  if (value === "none" || value === "0") return null;
  const lengths = numbersOf(value);
  const sum = lengths.reduce((total, length) => total + length, 0);
  if (/[^\d\s.,px]/.test(value) || !(sum > 0))
    throw new RangeError("The drawing has dashes that cannot be counted.");
  return sum;
}

/** How many pieces an element's line has, and how long it is at most. */
function shapeOf({ name, attributes }: Element): { segments: number; length: number } {
  const number = (attribute: string) => Math.abs(Number.parseFloat(attributes.get(attribute) ?? "0")) || 0;
  switch (name) {
    case "path":
      return measurePath(attributes.get("d") ?? "");
    case "polyline":
    case "polygon": {
      const points = numbersOf(attributes.get("points") ?? "");
      return measurePath(`M${points.join(" ")}z`);
    }
    case "rect":
      return { segments: 8, length: 2 * (number("width") + number("height")) };
    case "circle":
      return { segments: 8, length: 7 * number("r") };
    case "ellipse":
      return { segments: 8, length: 7 * Math.max(number("rx"), number("ry")) };
    case "line":
      return { segments: 1, length: number("x1") + number("x2") + number("y1") + number("y2") };
    default:
      return { segments: 0, length: 0 };
  }
}

/** Pixels of a unit of CSS. */
const units: Record<string, number> = {
  "": 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
  em: 16,
  ex: 8,
};

/** Gives the drawing a size that all browsers accept. */
function setSize({ attributes }: Element): void {
  const [, , boxWidth = 0, boxHeight = 0] = numbersOf(attributes.get("viewBox") ?? "");
  const hasBox = isSize(boxWidth) && isSize(boxHeight);
  if (!hasBox) attributes.delete("viewBox");
  const natural = hasBox ? { width: boxWidth, height: boxHeight } : DEFAULT_SIZE;
  const width = pixelsOf(attributes.get("width"));
  const height = pixelsOf(attributes.get("height"));
  const scale = width !== null ? width / natural.width : height !== null ? height / natural.height : 1;
  const size = { width: width ?? natural.width * scale, height: height ?? natural.height * scale };
  const shrink = Math.min(MAX_SIZE / Math.max(size.width, size.height), 1);
  // Shrunk to its size on the screen, the drawing must not be cut off.
  if (shrink < 1 && !hasBox) attributes.set("viewBox", `0 0 ${size.width} ${size.height}`);
  attributes.set("width", String(Math.max(size.width * shrink, 1)));
  attributes.set("height", String(Math.max(size.height * shrink, 1)));
}

const isSize = (value: number) => Number.isFinite(value) && value > 0;

function pixelsOf(length: string | undefined): number | null {
  const [, value, unit = ""] = /^\s*([\d.]+(?:e[-+]?\d+)?)\s*([a-z]*)\s*$/i.exec(length ?? "") ?? [];
  const pixels = Number(value) * (units[unit.toLowerCase()] ?? Number.NaN);
  return isSize(pixels) ? pixels : null;
}

/** Properties that are no attributes. */
const onlyStyles = words("mix-blend-mode isolation");

function write({ name, attributes, children }: Element, isRoot = true): string {
  const own = [...attributes]
    .map(([attribute, value]) =>
      onlyStyles.has(attribute)
        ? ` style="${attribute}:${escapeXml(value)}"`
        : ` ${attribute}="${escapeXml(value)}"`,
    )
    .join("");
  const inside = children
    .map((child) => (typeof child === "string" ? escapeXml(child) : write(child, false)))
    .join("");
  return `<${name}${isRoot ? ' xmlns="http://www.w3.org/2000/svg"' : ""}${own}>${inside}</${name}>`;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeXml = (text: string) =>
  // Characters that XML does not allow would break the drawing.
  text.replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, "").replace(/[&<>"]/g, (letter) => escapes[letter] ?? "");
