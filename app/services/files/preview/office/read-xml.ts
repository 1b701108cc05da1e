import { Parser } from "htmlparser2";
import { OfficeProblem } from "./unpack";

export type XmlAttributes = Record<string, string>;

interface XmlHandlers {
  /** `name` has no prefix, and `fullName` has; attributes keep theirs */
  onOpen(name: string, attributes: XmlAttributes, fullName: string): void;
  onText?(text: string): void;
  onClose?(name: string): void;
}

/** Of elements in each other. Programs write some dozens; a parser's time grows with the square of the depth. */
const MAX_DEPTH = 1_000;
/** Of an element. Tags are counted before anything is read, attributes are not. */
const MAX_ATTRIBUTES = 1_000;

/**
 * Reads a part of an office file as a stream of its elements.
 * @throws OfficeProblem `damaged` if the part is missing, empty or cut off, `too-complex` for too many elements in each other or attributes
 */
export function readXml(part: Uint8Array | undefined, { onOpen, onText, onClose }: XmlHandlers): void {
  let depth = 0;
  let elements = 0;
  let attributes = 0;
  const parser = new Parser(
    {
      onopentagname() {
        attributes = 0;
        if (++depth > MAX_DEPTH) throw new OfficeProblem("too-complex");
      },
      onattribute() {
        if (++attributes > MAX_ATTRIBUTES) throw new OfficeProblem("too-complex");
      },
      onopentag(name, attributes) {
        elements++;
        onOpen(withoutPrefix(name), attributes, name);
      },
      ontext: onText,
      onclosetag(name) {
        depth--;
        onClose?.(withoutPrefix(name));
      },
    },
    { xmlMode: true },
  );
  parser.write(new TextDecoder().decode(part));
  // The end would close what is open.
  if (elements === 0 || depth > 0) throw new OfficeProblem("damaged");
  parser.end();
}

/** An element with everything in it. */
export interface XmlElement {
  /** without its prefix */
  name: string;
  fullName: string;
  attributes: XmlAttributes;
  children: (XmlElement | string)[];
}

/** Of an attribute. A few bytes can refer to an address or a name a hundred thousand times, and each time a reader may copy it. */
const MAX_VALUE_LENGTH = 2_000;

/**
 * Reads a part of an office file as a tree. Longer attributes are left empty: a part of an address is another address.
 * @throws OfficeProblem `damaged`, as `readXml`
 */
export function readXmlTree(part: Uint8Array): XmlElement {
  const top: XmlElement = { name: "", fullName: "", attributes: {}, children: [] };
  const open = [top];
  const append = (child: XmlElement | string) => {
    const { children } = open.at(-1) ?? top;
    const last = children.at(-1);
    // The parser reports a text in pieces.
    if (typeof child === "string" && typeof last === "string") children[children.length - 1] = last + child;
    else children.push(child);
  };
  readXml(part, {
    onOpen(name, attributes, fullName) {
      for (const key in attributes)
        if ((attributes[key] ?? "").length > MAX_VALUE_LENGTH) attributes[key] = "";
      const element: XmlElement = { name, fullName, attributes, children: [] };
      append(element);
      open.push(element);
    },
    onText: append,
    onClose: () => void open.pop(),
  });
  return elementsOf(top)[0] ?? top;
}

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== "string");

/** The first child with this name. */
export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child): child is XmlElement => typeof child !== "string" && child.name === name);

/** An attribute, whatever its prefix. */
export function attributeOf(element: XmlElement | undefined, name: string): string | undefined {
  if (!element) return;
  const { attributes } = element;
  const key = Object.keys(attributes).find((each) => withoutPrefix(each) === name);
  return key === undefined ? undefined : attributes[key];
}

export function writeXmlTree(element: XmlElement): string {
  const pieces: string[] = [];
  write(element, pieces);
  return pieces.join("");
}

function write(node: XmlElement | string, pieces: string[]): void {
  if (typeof node === "string") {
    pieces.push(node.replace(/[&<>\r]/g, characterReference));
    return;
  }
  pieces.push("<", node.fullName);
  for (const [name, value] of Object.entries(node.attributes))
    pieces.push(` ${name}="${value.replace(/[&<>"\r\n\t]/g, characterReference)}"`);
  pieces.push(">");
  for (const child of node.children) write(child, pieces);
  pieces.push("</", node.fullName, ">");
}

const characterReference = (character: string) => `&#${character.charCodeAt(0)};`;

function withoutPrefix(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}
