import { AppError } from "./app-error";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Members and list items in one body. The largest honest body moves a thousand files and has some 3,000. */
const MAX_VALUES = 20_000;
/** Lists and objects inside of each other. Our bodies have less than ten; what copies or compares a value may have no stack for thousands. */
const MAX_DEPTH = 64;

/**
 * Parses the JSON of a request. A body with very many values is refused before it is parsed: two megabytes of brackets cost 170 ms.
 * @throws AppError `invalid_request`
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { values, depth } = measure(bytes);
  if (values > MAX_VALUES) throw refused("contains too many values", `contain at most ${MAX_VALUES} values`);
  if (depth > MAX_DEPTH) throw refused("is nested too deeply", `be nested at most ${MAX_DEPTH} levels deep`);
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new AppError("invalid_request", "The body is not valid JSON.", {
      issues: [{ path: "", message: "must be JSON in UTF-8" }],
    });
  }
}

function refused(problem: string, rule: string): AppError {
  return new AppError("invalid_request", `The body ${problem}.`, {
    issues: [{ path: "", message: `must ${rule}` }],
  });
}

/** The value of a JSON text inside of a message; undefined if it is none. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const [QUOTE, BACKSLASH, COMMA, LIST, LIST_END, OBJECT, OBJECT_END] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/** Counts the characters that begin or separate values, outside of strings, up to one more than is allowed. */
function measure(bytes: Uint8Array): { values: number; depth: number } {
  let [values, depth, open] = [0, 0, 0];
  let isInString = false;
  for (let at = 0; at < bytes.length && values <= MAX_VALUES; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA) values += 1;
    else if (byte === LIST || byte === OBJECT) {
      values += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === LIST_END || byte === OBJECT_END) open -= 1;
  }
  return { values, depth };
}
