import { type ReactNode, useState } from "react";
import { boundText, shortenText } from "../../screen/bounded-text";
import { useLanguage } from "../../screen/language";
import { TextBlocks } from "./text-blocks";

const LEVELS_UNFOLDED = 2;
/** Longer names of members are cut, characters. */
const MAX_NAME_LENGTH = 300;
/** A button shows more members, this many at a time. */
const MEMBERS_AT_A_TIME = 100;

interface JsonViewProps {
  value: JsonValue;
  /** of a member */
  name?: string;
  depth?: number;
}

/** A JSON value that can be folded. Folded members are not in the document. */
export function JsonView({ value, name, depth = 0 }: JsonViewProps) {
  const [open, setOpen] = useState(depth < LEVELS_UNFOLDED);
  const label = name !== undefined && (
    <span className="json__name">{JSON.stringify(shortenText(name, MAX_NAME_LENGTH))}: </span>
  );
  const entries = entriesOf(value);
  if (entries === null || entries.length === 0) {
    return (
      <div className="json__leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const [begin, end] = value.type === "object" ? ["{", "}"] : ["[", "]"];
  return (
    <details className="json" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        {begin}
        {!open && <Folded count={entries.length} end={end} />}
      </summary>
      {open && <Entries entries={entries} depth={depth + 1} />}
      {open && <div>{end}</div>}
    </details>
  );
}

function Folded({ count, end }: { count: number; end: string | undefined }) {
  const { formats } = useLanguage();
  return (
    <span className="json__folded">
      {" "}
      … {formats.number(count)} {end}
    </span>
  );
}

function Entries({ entries, depth }: { entries: [string | undefined, JsonValue][]; depth: number }) {
  const { t } = useLanguage();
  const [most, setMost] = useState(MEMBERS_AT_A_TIME);
  return (
    <div className="json__entries">
      {entries.slice(0, most).map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places, and names may occur twice
        <JsonView key={index} name={name} value={value} depth={depth} />
      ))}
      {entries.length > most && (
        <button type="button" className="link-button" onClick={() => setMost(most + MEMBERS_AT_A_TIME)}>
          {t("look.more")}
        </button>
      )}
    </div>
  );
}

/** Members or items; null for other values. */
function entriesOf(value: JsonValue): [string | undefined, JsonValue][] | null {
  if (value.type === "object") return value.members;
  if (value.type === "array") return value.items.map((item) => [undefined, item]);
  return null;
}

function Leaf({ value }: { value: JsonValue }): ReactNode {
  if (value.type === "object") return "{}";
  if (value.type === "array") return "[]";
  const text = value.type === "string" ? JSON.stringify(value.text) : value.text;
  return (
    <span className={`json__${value.type}`}>
      <TextBlocks text={boundText(text).text} />
    </span>
  );
}

/**
 * JSON as it is written. `JSON.parse` would lose digits of long numbers and members with the same name.
 */
export type JsonValue =
  | { type: "object"; members: [name: string, value: JsonValue][] }
  | { type: "array"; items: JsonValue[] }
  | { type: "string" | "number" | "word"; text: string };

/** Limits recursion. */
const MAX_DEPTH = 200;

/** Why a text is not shown as a tree. */
export type JsonProblem = "invalid" | "too-deep";

export function parseJson(text: string): JsonValue | JsonProblem {
  try {
    JSON.parse(text);
    return readValue(new Reader(text), 0);
  } catch (error) {
    // Otherwise it is our limit, or the stack's, which engines name differently.
    return error instanceof SyntaxError ? "invalid" : "too-deep";
  }
}

/** Splits a valid JSON text into tokens. */
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
  if (depth > MAX_DEPTH) throw new RangeError("The text is nested too deeply.");
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
