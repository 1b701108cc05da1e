import { XMLParser } from "fast-xml-parser";
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
  const inner = typeof content === "string" ? escapeText(content) : elements(content);
  const attribute = namespace === null ? "" : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner}</${root}>`;
}

/** By hand: a page of a thousand keys is written in a tenth of the time that a library's builder takes, and searches list a hundred. */
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

/** Control characters are written as references, as S3 does, though XML 1.0 has no room for most of them. */
function escapeText(text: string): string {
  if (!ESCAPED.test(text)) return text;
  return text.replace(ALL_ESCAPED, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
}

/** An element that was read. Text of an element with children is dropped: the bodies S3 takes have none. */
export interface XmlNode {
  name: string;
  text: string;
  children: XmlNode[];
}

/** Entities are resolved here, see `unescapeText`: the library passes unknown ones, and drops `&#x0;`. */
const parser = new XMLParser({
  preserveOrder: true,
  removeNSPrefix: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: DEEPEST,
  parseTagValue: false,
  processEntities: false,
  trimValues: false,
});

/**
 * Reads the small bodies S3 takes (CORS rules, keys to delete, parts of an upload): elements and text.
 * A document type is refused, so no entity can expand, and so is CDATA. Throws MalformedXML.
 */
export function parseXml(source: string): XmlNode {
  // The library also drops text after the root.
  if (/<!(?!--)/.test(source) || !source.trimEnd().endsWith(">")) throw malformed();
  const [root, ...more] = nodeOf("", parseOrRefuse(source)).children;
  // It lets some second roots pass.
  if (!root || more.length > 0) throw malformed();
  return root;
}

function parseOrRefuse(source: string): ParsedNode[] {
  try {
    return parser.parse(source, true);
  } catch {
    throw malformed();
  }
}

/** What the library makes of an element, under its name, or of text, under `#text`. */
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
