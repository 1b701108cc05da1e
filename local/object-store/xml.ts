import { XMLParser } from "fast-xml-parser";
import { malformedXml } from "./errors";

/** far more than any document of S3 has */
const MAX_DEPTH = 16;
const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

export type XmlValue = string | number | boolean | undefined | XmlObject | XmlValue[];
export interface XmlObject {
  [element: string]: XmlValue;
}

/** Writes a document. An array repeats its element, and undefined is left out. `namespace`: null for none. */
export function xmlDocument(
  root: string,
  content: XmlObject | string,
  namespace: string | null = NAMESPACE,
): string {
  const inner = typeof content === "string" ? escapeText(content) : elements(content);
  const attribute = namespace === null ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner}</${root}>`;
}

/** Not by the library's builder: that takes ten times as long for a page of a thousand keys, and a search lists a hundred pages. */
function elements(content: XmlObject): string {
  let written = "";
  for (const name in content) written += element(name, content[name]);
  return written;
}

function element(name: string, value: XmlValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((one) => element(name, one)).join("");
  const inner = typeof value === "object" ? elements(value) : escapeText(String(value));
  return `<${name}>${inner}</${name}>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a key may hold them
const ESCAPED = /[&<>"\u0000-\u001f\u007f\ufffe\uffff]/;
const ALL_ESCAPED = new RegExp(ESCAPED, "g");

/** Control characters are written as references, as in S3, although XML 1.0 does not allow most of them. */
function escapeText(text: string): string {
  if (!ESCAPED.test(text)) return text;
  return text.replace(ALL_ESCAPED, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
}

/** An element that was read. */
export interface XmlNode {
  name: string;
  text: string;
  children: XmlNode[];
}

/** Entities are resolved by `unescapeText`: the library lets unknown ones through, and removes `&#x0;`. */
const parser = new XMLParser({
  preserveOrder: true,
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: MAX_DEPTH,
  parseTagValue: false,
  processEntities: false,
  trimValues: false,
});

/**
 * Reads the small documents that S3 takes (CORS rules, keys to delete, parts of an upload): elements and text. Document types
 * and CDATA are refused, so that no entity can expand. Throws MalformedXML, also when the root has another name.
 */
export function parseXml(source: string, rootName: string): XmlNode {
  // The library ignores text after the root.
  if (/<!(?!--)/.test(source) || !source.trimEnd().endsWith(">")) throw malformedXml();
  const [root, ...more] = nodeOf("", parseOrThrow(source)).children;
  // It also accepts some second roots.
  if (root?.name !== rootName || more.length > 0) throw malformedXml();
  return root;
}

function parseOrThrow(source: string): ParsedNode[] {
  try {
    return parser.parse(source, true);
  } catch {
    throw malformedXml();
  }
}

/** An element as the library returns it: its content under its name, or text under `#text`. */
type ParsedNode = Record<string, ParsedNode[] | string>;

function nodeOf(name: string, parsed: ParsedNode[]): XmlNode {
  const node: XmlNode = { name, text: "", children: [] };
  for (const [childName, content] of parsed.flatMap((child) => Object.entries(child))) {
    if (typeof content === "string") node.text += unescapeText(content);
    else node.children.push(nodeOf(childName, content));
  }
  return node;
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
    if (character === undefined) throw malformedXml();
    return character;
  });
}
