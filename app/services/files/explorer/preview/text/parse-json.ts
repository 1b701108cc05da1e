/**
 * JSON as it is written: numbers with all their digits, and names that occur twice twice, which `JSON.parse` would lose.
 */
export type JsonValue =
  | { type: "object"; members: [name: string, value: JsonValue][] }
  | { type: "array"; items: JsonValue[] }
  | { type: "string" | "number" | "word"; text: string };

/** Beyond this many levels nobody follows, and the stack of a browser might end. */
const DEEPEST = 200;

/** The value of a JSON text; null when it is no valid JSON, or nested too deeply. */
export function parseJson(text: string): JsonValue | null {
  try {
    JSON.parse(text);
    return readValue(new Reader(text), 0);
  } catch {
    return null;
  }
}

/** Takes a text apart that is known to be valid. */
class Reader {
  #at = 0;
  readonly #tokens = /\s*([{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+)/gy;

  constructor(readonly text: string) {}

  next(): string {
    this.#tokens.lastIndex = this.#at;
    const token = this.#tokens.exec(this.text)?.[1];
    if (token === undefined) throw new SyntaxError("The text has ended.");
    this.#at = this.#tokens.lastIndex;
    return token;
  }
}

function readValue(reader: Reader, depth: number, token = reader.next()): JsonValue {
  if (depth > DEEPEST) throw new RangeError("The text is nested too deeply.");
  if (token === "{") return { type: "object", members: readMembers(reader, depth) };
  if (token === "[") return { type: "array", items: readItems(reader, depth) };
  if (token.startsWith('"')) return { type: "string", text: JSON.parse(token) };
  return { type: /^[-\d]/.test(token) ? "number" : "word", text: token };
}

function readMembers(reader: Reader, depth: number): [string, JsonValue][] {
  const members: [string, JsonValue][] = [];
  for (let token = reader.next(); token !== "}"; token = reader.next()) {
    const name = token === "," ? reader.next() : token;
    reader.next();
    members.push([JSON.parse(name), readValue(reader, depth + 1)]);
  }
  return members;
}

function readItems(reader: Reader, depth: number): JsonValue[] {
  const items: JsonValue[] = [];
  for (let token = reader.next(); token !== "]"; token = reader.next()) {
    items.push(readValue(reader, depth + 1, token === "," ? undefined : token));
  }
  return items;
}
