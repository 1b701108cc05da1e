import type { z } from "zod";
import type { InputIssue } from "./app-error";
import { truncate } from "./truncate";

/**
 * Error messages for zod's issues, for the option `error` of `safeParse`: `must have at most 200 characters`. A message is read after the
 * name of its member. A message that a schema defines itself takes precedence.
 */
export const validationMessages: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return "is required";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeNames[issue.expected] ?? "of another type"}, not ${typeOf(issue.input)}`;
    case "too_big":
      return `must ${sizeOf(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
    case "too_small":
      return issue.input === "" && Number(issue.minimum) === 1
        ? "must not be empty"
        : `must ${sizeOf(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${JSON.stringify(issue.values[0])}`
        : `must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "invalid_format":
      return formatNames[issue.format] === undefined
        ? "has a wrong format"
        : `must be ${formatNames[issue.format]}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_union":
      return "has none of the allowed forms";
    default:
      return undefined;
  }
};

const typeNames: Partial<Record<z.core.$ZodIssueInvalidType["expected"], string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

const formatNames: Record<string, string> = {
  url: "a URL",
  email: "an e-mail address",
  datetime: "a date and time, as in 2026-11-23T10:00:00Z",
  date: "a date, as in 2026-11-23",
};

function typeOf(input: unknown): string {
  if (input === null) return "null";
  if (Array.isArray(input)) return "a list";
  if (typeof input === "number") return Number.isInteger(input) ? "a number" : "a fraction";
  return typeof input === "boolean"
    ? `${input}`
    : typeof input === "object"
      ? "an object"
      : `a ${typeof input}`;
}

function sizeOf(origin: string, limit: string, size: number | bigint): string {
  if (origin === "string") return `have ${limit} ${count(size, "character")}`;
  if (origin === "array" || origin === "set") return `have ${limit} ${count(size, "item")}`;
  if (origin === "object" || origin === "map") return `have ${limit} ${count(size, "member")}`;
  return `be ${limit} ${size}`;
}

const count = (size: number | bigint, noun: string) => `${size} ${noun}${Number(size) === 1 ? "" : "s"}`;

/** how many unknown members one issue names, so that a response stays small and readable */
const MAX_NAMED_KEYS = 10;

/** An issue for the caller: its path, and the message. */
export function toInputIssue(issue: z.core.$ZodIssue): InputIssue {
  const message = issue.code === "unrecognized_keys" ? unrecognizedKeys(issue.keys) : issue.message;
  return { path: nameOfPath(issue.path), message };
}

/** The path of a member, like `scope.bucket` or `to[3]`. */
export function nameOfPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((joined, part) => {
    if (typeof part === "number") return `${joined}[${part}]`;
    return joined === "" ? truncate(String(part)) : `${joined}.${truncate(String(part))}`;
  }, "");
}

/** Cuts long names and long lists. */
function unrecognizedKeys(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => `"${truncate(key)}"`);
  const more = keys.length - named.length;
  return `must not have the member${keys.length === 1 ? "" : "s"} ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}
