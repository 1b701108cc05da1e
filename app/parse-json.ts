import { AppError } from "./app-error";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Members and items in a body, all told: each takes up to 0.2 µs to read and to refuse. A thousand files to move are the most that any of ours has. */
const MAX_VALUES = 20_000;

/** @throws AppError `invalid_request`, also for JSON of so many values that reading it would take long */
export function parseJson(bytes: Uint8Array): unknown {
  if (hasMoreValues(bytes, MAX_VALUES)) {
    throw new AppError("invalid_request", "The body holds too many values.", {
      issues: [{ path: "", message: `must hold at most ${MAX_VALUES} values` }],
    });
  }
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new AppError("invalid_request", "The body is not valid JSON.", {
      issues: [{ path: "", message: "must be JSON in UTF-8" }],
    });
  }
}

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Whether JSON has more members and items than `limit`: by what begins or separates them outside of texts. */
function hasMoreValues(bytes: Uint8Array, limit: number): boolean {
  let count = 0;
  let isInText = false;
  for (let at = 0; at < bytes.length && count <= limit; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === LIST || byte === OBJECT) count += 1;
  }
  return count > limit;
}
