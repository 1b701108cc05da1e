import { zipSync } from "fflate";
import { Parser } from "htmlparser2";
import mammoth from "mammoth";
import { imageSize } from "../../browse/pictures/image-size";
import { boundTree, shortenText } from "../../screen/bounded-text";
import { type DocumentAlignment, layoutRules, layParagraphsOut, readLayout } from "./document-layout";
import { prepareDocument, preparedRules } from "./prepare-document";
import { asOfficeProblem, MAX_UNPACKED_BYTES, unpackOffice } from "./unpack";

/** A Word document as text and elements of a fixed list, never HTML. */
export interface WordDocument {
  nodes: DocumentNode[];
  /** `image` of an element is an index of this list */
  images: DocumentImage[];
  /** there is more than is shown */
  cut: boolean;
}
export type DocumentNode = string | DocumentElement;
export interface DocumentElement {
  tag: DocumentTag;
  children: DocumentNode[];
  /** of a place that a link of the document leads to */
  id?: string;
  /** of a link: an address of the web or of mail, or `#` and an id */
  href?: string;
  /** undefined for images that are not shown: linked ones, drawings, and formats that browsers do not know */
  image?: number;
  alt?: string;
  columns?: number;
  rows?: number;
  /** of a paragraph or heading; undefined where it begins like any text */
  align?: DocumentAlignment;
  /** of a paragraph, in quarters of an inch */
  indent?: number;
}
export interface DocumentImage {
  type: string;
  bytes: ArrayBuffer;
}

const tags = [
  ...(["h1", "h2", "h3", "h4", "h5", "h6", "p", "hr", "br", "ul", "ol", "li"] as const),
  ...(["table", "thead", "tbody", "tr", "th", "td"] as const),
  ...(["strong", "em", "u", "s", "sup", "sub", "ins", "del", "ruby", "rt", "a", "img"] as const),
] as const;
type DocumentTag = (typeof tags)[number];
const known = new Set<string>(tags);

/** More elements would be slow to scroll. */
export const MAX_ELEMENTS = 20_000;
/** Three hundred pages. More text would be slow to lay out. */
const MAX_TEXT_LENGTH = 750_000;
const MAX_ALT_LENGTH = 300;
/** Of the file's XML, which Mammoth builds as a tree. A document of three hundred pages has half of this. */
const MAX_TAGS = 1_000_000;
/** Of elements in each other. Deeper ones are left out, and their text is kept. */
const MAX_DEPTH = 60;
/** Of tables, which a browser would lay out. */
const MAX_SPAN = 1_000;
/** Of all images together: a small file can be a huge image. */
const MAX_IMAGE_PIXELS = 100_000_000;

/** Formats that browsers show. No SVG: Word stores a PNG beside each. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]);

/**
 * Reads a Word document (`.docx`). Macros, linked images and styles that it brings for the conversion are ignored.
 * @throws OfficeProblem
 */
export async function readDocument(bytes: Uint8Array<ArrayBuffer>): Promise<WordDocument> {
  const parts = unpackOffice(bytes, (path) => /\.(xml|rels)$|^word\/media\//i.test(path), MAX_TAGS);
  const images = new ImageCollector();
  try {
    const archive = zipSync(prepareDocument(parts), { level: 0 });
    const { value } = await mammoth.convertToHtml(inputOf(archive), {
      styleMap: [
        "p[style-name='Title'] => h1:fresh",
        "u => u",
        "strike => s",
        "br[type='page'] => hr",
        "comment-reference =>",
        ...preparedRules,
        ...layoutRules,
      ],
      transformDocument: layParagraphsOut,
      includeEmbeddedStyleMap: false,
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement((image) => images.add(image)),
    });
    return { ...readHtml(value), images: images.list };
  } catch (error) {
    throw asOfficeProblem(error);
  }
}

/** Mammoth takes an ArrayBuffer in browsers, and a Buffer in Node, where the tests run. */
const inputOf = (archive: Uint8Array<ArrayBuffer>) =>
  typeof Buffer === "undefined" ? { arrayBuffer: archive.buffer } : { buffer: Buffer.from(archive) };

type MammothImage = Parameters<Parameters<typeof mammoth.images.imgElement>[0]>[0];

class ImageCollector {
  readonly list: DocumentImage[] = [];
  #pixels = 0;
  #bytes = 0;

  /** `src` is the index of the image in the list, or empty. */
  async add(image: MammothImage): Promise<{ src: string }> {
    const bytes = imageTypes.has(image.contentType) ? await readImage(image) : null;
    const size = bytes && imageSize(new Uint8Array(bytes));
    if (!bytes || !size) return { src: "" };
    // Each place that shows an image gets a copy of it.
    const pixels = this.#pixels + size.width * size.height;
    const total = this.#bytes + bytes.byteLength;
    if (pixels > MAX_IMAGE_PIXELS || total > MAX_UNPACKED_BYTES) return { src: "" };
    this.#pixels = pixels;
    this.#bytes = total;
    this.list.push({ type: image.contentType, bytes });
    return { src: String(this.list.length - 1) };
  }
}

/** Null for an image that is not in the file: nothing is loaded from elsewhere. */
async function readImage(image: MammothImage): Promise<ArrayBuffer | null> {
  try {
    // Mammoth 1.13 returns a Uint8Array, which cannot be given to another thread.
    return new Uint8Array(await image.readAsArrayBuffer()).slice().buffer;
  } catch {
    return null;
  }
}

/** Reads the HTML that Mammoth has written. Other elements and attributes are left out. */
export function readHtml(html: string): Omit<WordDocument, "images"> {
  const nodes: DocumentNode[] = [];
  /** the children of the open elements */
  const open = [nodes];
  let elements = 0;
  let length = 0;
  let cut = false;
  const parser = new Parser({
    onopentag(name, attributes) {
      const parent = open.at(-1) ?? nodes;
      if (!known.has(name) || open.length > MAX_DEPTH || cut) {
        open.push(parent);
        return;
      }
      if (++elements > MAX_ELEMENTS) cut = true;
      const element = elementOf(name as DocumentTag, attributes);
      parent.push(element);
      open.push(element.children);
    },
    onclosetag: () => void open.pop(),
    ontext(text) {
      if (cut) return;
      length += text.length;
      if (length > MAX_TEXT_LENGTH) cut = true;
      else append(open.at(-1) ?? nodes, text);
    },
  });
  parser.end(html);
  return { nodes: boundTree<DocumentElement>(nodes), cut };
}

/** The parser reports a text in pieces. */
function append(children: DocumentNode[], text: string): void {
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + text;
  else children.push(text);
}

function elementOf(tag: DocumentTag, attributes: Record<string, string>): DocumentElement {
  const element: DocumentElement = { tag, children: [] };
  const { id, href, src, alt, colspan, rowspan } = attributes;
  if (attributes.class) Object.assign(element, readLayout(attributes.class));
  if (id) element.id = id;
  if (tag === "a" && href && isSafeLink(href)) element.href = href;
  if (tag === "img") {
    if (src && /^\d+$/.test(src)) element.image = Number(src);
    if (alt) element.alt = shortenText(alt, MAX_ALT_LENGTH);
  }
  if (colspan) element.columns = spanOf(colspan);
  if (rowspan) element.rows = spanOf(rowspan);
  return element;
}

const spanOf = (text: string) => Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), MAX_SPAN);

/** Only the web and mail: `javascript:` would run in the frame. */
const isSafeLink = (href: string) => /^(https?:\/\/|mailto:|#)/i.test(href);
