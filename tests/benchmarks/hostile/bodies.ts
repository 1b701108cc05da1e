import type { BodyTarget } from "./targets";

/** Hostile JSON that is not about one text: deep, wide, repeated, out of range. At most `maxBytes` long. */
export function* hostileBodies({ valid, maxBytes }: BodyTarget): Generator<[label: string, json: string]> {
  const members = leaves(valid);
  for (const [label, value] of hostileValues(maxBytes - JSON.stringify(valid).length - 10)) {
    yield [`the body: ${label}`, value];
    for (const path of members) yield [`${path}: ${label}`, withRaw(valid, path, value)];
  }
  const inside = JSON.stringify(valid).slice(1, -1);
  const room = maxBytes - inside.length - 10;
  for (const [label, key] of [
    ["unknown members", (at: number) => `k${at}`],
    ["unknown members with one name", () => "k"],
    ["__proto__ over and over", () => "__proto__"],
    ["known members over and over", (at: number) => Object.keys(valid)[at % Object.keys(valid).length] ?? ""],
  ] as const) {
    const unknown: string[] = [];
    for (let length = 0, at = 0; ; at++) {
      const member = `${JSON.stringify(key(at))}:0`;
      length += member.length + 1;
      if (length > room) break;
      unknown.push(member);
    }
    yield [label, `{${inside},${unknown.join(",")}}`];
    yield [`${label}, before`, `{${unknown.join(",")},${inside}}`];
  }
  yield ["a long unknown member", `{${inside},"${"k".repeat(room - 6)}":0}`];
  yield [
    "a long unknown member of surrogates",
    `{${inside},"${"\\ud83d".repeat(Math.floor(room / 6) - 2)}":0}`,
  ];
  yield ["white space", `{${inside}${" ".repeat(room)}}`];
  yield ["unclosed", `{"a":`.repeat(Math.floor(maxBytes / 5))];
}

function* hostileValues(room: number): Generator<[label: string, json: string]> {
  const repeated = (item: string) =>
    `[${Array(Math.floor(room / (item.length + 1)))
      .fill(item)
      .join(",")}]`;
  const deep = Math.floor(room / 2);
  yield ["nested lists", "[".repeat(deep) + "]".repeat(deep)];
  yield ["nested objects", `${'{"a":'.repeat(Math.floor(room / 6))}0${"}".repeat(Math.floor(room / 6))}`];
  yield [
    "nested scopes",
    `${'{"scope":'.repeat(Math.floor(room / 10))}0${"}".repeat(Math.floor(room / 10))}`,
  ];
  yield ["digits", "9".repeat(room)];
  yield ["digits after the point", `0.${"9".repeat(room - 2)}`];
  yield ["1e999999", "1e999999"];
  yield ["-0", "-0"];
  yield ["1e308", "1e308"];
  yield ["null", "null"];
  for (const item of [
    "0",
    "null",
    "{}",
    "[]",
    '""',
    '"a"',
    '"a@a.aa"',
    '"https://a.aa/"',
    '{"name":""}',
    '{"title":"","date":""}',
    '{"name":"a","url":"https://a.aa/"}',
  ]) {
    yield [`a list of ${item}`, repeated(item)];
  }
  yield ["an escaped text", `"${"\\u0061".repeat(Math.floor(room / 6) - 1)}"`];
}

/** Every member of `value` that is no object, by path: `scope.bucket`, `pdf.0`, and lists themselves. */
export function leaves(value: unknown, path: string[] = []): string[] {
  if (typeof value !== "object" || value === null) return [path.join(".")];
  const inner = Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
  return path.length === 0 ? inner : [path.join("."), ...inner];
}

const MARK = "\u0001here";

/** `value` as JSON, with `json` at `path`. */
export function withRaw(value: unknown, path: string, json: string): string {
  return JSON.stringify(withValue(value, path, MARK)).replace(JSON.stringify(MARK), () => json);
}

/** `value` with `member` at `path`; in a list, `times` over. */
export function withValue(value: unknown, path: string, member: unknown, times = 1): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  let holder: Record<string, unknown> | unknown[] = copy;
  const names = path.split(".");
  const last = names.pop() ?? "";
  let list: unknown[] | undefined;
  for (const name of names) {
    const next = (holder as Record<string, unknown>)[name] as Record<string, unknown> | unknown[];
    if (Array.isArray(next)) list = next;
    holder = next;
  }
  (holder as Record<string, unknown>)[last] = member;
  if (list && times > 1) list.push(...Array.from({ length: times - 1 }, () => structuredClone(list[0])));
  return copy;
}
