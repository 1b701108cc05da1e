import { type ReactNode, useState } from "react";
import { useLanguage } from "../../language";
import type { JsonValue } from "./parse-json";

/** Levels that are unfolded to begin with. */
const UNFOLDED = 2;
/** Members that are shown at a time: of ten thousand, nobody reads the last first. */
const AT_A_TIME = 100;

interface JsonViewProps {
  value: JsonValue;
  /** of a member */
  name?: string;
  depth?: number;
}

/** A value of JSON, to be folded and unfolded. What is folded is not in the document. */
export function JsonView({ value, name, depth = 0 }: JsonViewProps) {
  const [open, setOpen] = useState(depth < UNFOLDED);
  const label = name !== undefined && <span className="json__name">{JSON.stringify(name)}: </span>;
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
  const [most, setMost] = useState(AT_A_TIME);
  return (
    <div className="json__entries">
      {entries.slice(0, most).map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change their places, and names may occur twice
        <JsonView key={index} name={name} value={value} depth={depth} />
      ))}
      {entries.length > most && (
        <button type="button" className="link-button" onClick={() => setMost(most + AT_A_TIME)}>
          {t("look.more")}
        </button>
      )}
    </div>
  );
}

/** What is inside; null where nothing can be. */
function entriesOf(value: JsonValue): [string | undefined, JsonValue][] | null {
  if (value.type === "object") return value.members;
  if (value.type === "array") return value.items.map((item) => [undefined, item]);
  return null;
}

function Leaf({ value }: { value: JsonValue }): ReactNode {
  if (value.type === "object") return "{}";
  if (value.type === "array") return "[]";
  return (
    <span className={`json__${value.type}`}>
      {value.type === "string" ? JSON.stringify(value.text) : value.text}
    </span>
  );
}
