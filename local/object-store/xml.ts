import { S3Error } from "./errors";

/** no body of S3 is nearly as deep */
const DEEPEST = 16;
const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

export type XmlValue = string | number | boolean | undefined | XmlObject | XmlValue[];
export interface XmlObject {
  [element: string]: XmlValue;
}

/** Writes one document. An array repeats its element; undefined writes nothing. `namespace` null writes none. */
export function xmlDocument(
  root: string,
  content: XmlObject | string,
  namespace: string | null = NAMESPACE,
): string {
  const inner = typeof content === "string" ? escapeText(content) : writeChildren(content);
  const attribute = namespace === null ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner}</${root}>`;
}

function writeChildren(content: XmlObject): string {
  return Object.entries(content)
    .map(([name, value]) => writeElement(name, value))
    .join("");
}

function writeElement(name: string, value: XmlValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((item) => writeElement(name, item)).join("");
  const inner = typeof value === "object" ? writeChildren(value) : escapeText(String(value));
  return `<${name}>${inner}</${name}>`;
}

/** Control characters are written as references, as S3 does, though XML 1.0 has no room for most of them. */
function escapeText(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a key may hold them
    /[&<>"\u0000-\u001f\u007f\ufffe\uffff]/g,
    (character) => `&#x${character.charCodeAt(0).toString(16)};`,
  );
}

/** An element that was read. Text of an element with children is dropped: the bodies S3 takes have none. */
export interface XmlNode {
  name: string;
  text: string;
  children: XmlNode[];
}

/**
 * Reads the small bodies S3 takes (CORS rules, keys to delete, parts of an upload): elements and text.
 * A document type is refused, so no entity can expand, and so is CDATA. Throws MalformedXML.
 * Not by fast-xml-parser 5.12: it lets unknown entities and a second root pass, and drops `&#x0;`, which makes the key to
 * delete another.
 */
export function parseXml(source: string): XmlNode {
  const top: XmlNode = { name: "", text: "", children: [] };
  const open: XmlNode[] = [top];
  const token = /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z_][\w.:-]*)((?:\s[^<>]*?)?)(\/?)>|([^<]+)/gy;
  for (let end = 0; end < source.length; end = token.lastIndex) {
    token.lastIndex = end;
    const match = token.exec(source);
    const parent = open.at(-1);
    if (!match || !parent) throw malformed();
    const [, closing, qualified, , selfClosing, text] = match;
    if (text !== undefined) {
      parent.text += unescapeText(text);
    } else if (qualified !== undefined) {
      const name = qualified.slice(qualified.indexOf(":") + 1);
      if (closing) {
        if (open.length === 1 || parent.name !== name) throw malformed();
        open.pop();
      } else {
        const node: XmlNode = { name, text: "", children: [] };
        parent.children.push(node);
        if (open.length > DEEPEST) throw malformed();
        if (!selfClosing) open.push(node);
      }
    }
  }
  const [root] = top.children;
  if (open.length !== 1 || top.children.length !== 1 || !root) throw malformed();
  return root;
}

export function childrenNamed(node: XmlNode, name: string): XmlNode[] {
  return node.children.filter((child) => child.name === name);
}

export function textOf(node: XmlNode, name: string): string | undefined {
  return childrenNamed(node, name)[0]?.text;
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }));

function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));|&/gi, (_whole, hex, decimal, name) => {
    const point = hex ? Number.parseInt(hex, 16) : decimal ? Number(decimal) : undefined;
    const character =
      point === undefined
        ? ENTITIES.get(name ?? "")
        : point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
          ? String.fromCodePoint(point)
          : undefined;
    if (character === undefined) throw malformed();
    return character;
  });
}

export function malformed(): S3Error {
  return new S3Error(
    "MalformedXML",
    "The XML you provided was not well-formed or did not validate against our published schema",
  );
}
