import type { z } from "zod";
import { AppError, type InputIssue, invalidRequest } from "../app-error";
import { parseJson } from "../parse-json";
import { sayMissing } from "../say-missing";

/**
 * The JSON value of a request's body, counted while it streams: a body over `maxBytes` is refused without being read to
 * its end, whatever its `Content-Length` says.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `invalid_request`
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get("Content-Type") ?? "")) {
    throw new AppError(
      "unsupported_media_type",
      "Send the body as JSON, with Content-Type: application/json.",
    );
  }
  return parseJson(await readBody(request, maxBytes));
}

/** milliseconds in which a body has to arrive: far more than our small ones take on any network */
const ARRIVAL_MS = 10_000;

/** The bytes of a request's body. @throws AppError `body_too_large`, `request_timeout` */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  let isLate = false;
  // Not cancelled, neither here nor at the end: that would break the connection before the response is out, and a caller who is
  // still sending would never see it.
  const timer = setTimeout(() => {
    isLate = true;
    reader.releaseLock();
  }, ARRIVAL_MS);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      if (length > maxBytes) {
        throw new AppError("body_too_large", `The body is over the limit of ${maxBytes} bytes.`);
      }
      chunks.push(next.value);
    }
  } catch (error) {
    if (!isLate) throw error;
    throw new AppError("request_timeout", "The body did not arrive in time.", {
      headers: { Connection: "close" },
    });
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  return Buffer.concat(chunks);
}

/** bytes and milliseconds that a refused body is still listened to */
const DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARDING_MS = 2_000;

/**
 * Reads what is left of a refused request's body, and forgets it: a caller who is still sending would not come to read the
 * response, and the connection could not be used again. A body that does not end soon is left alone.
 */
export async function discardBody(request: Request): Promise<void> {
  if (request.body === null || request.body.locked) return;
  const reader = request.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(resolve, DISCARDING_MS, { done: true });
  });
  for (let left = DISCARDED_BYTES; left > 0; ) {
    // A sender that stalls must not hold back its own response.
    const next = await Promise.race([reader.read(), late]);
    if (next.done) break;
    left -= next.value.byteLength;
  }
  clearTimeout(timer);
}

/** issues that are spelled out, and unknown members that one of them names: a person reads them, and an error stays small */
const MAX_ISSUES = 50;
const MAX_NAMED_KEYS = 10;
/** characters of a member's name */
const MAX_KEY_LENGTH = 60;

/** `value` as `schema` has it. @throws AppError `invalid_request`, with every error listed, up to 50 and how many more there are */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: sayMissing });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const listed = issues.slice(0, MAX_ISSUES).map(toInputIssue);
  const more = issues.length - listed.length;
  throw invalidRequest(more === 0 ? listed : [...listed, { path: "", message: `and ${more} more issues` }]);
}

function toInputIssue(issue: z.core.$ZodIssue): InputIssue {
  const { path } = issue;
  const message = issue.code === "unrecognized_keys" ? unrecognizedKeys(issue.keys) : issue.message;
  const name = path.reduce<string>((joined, part) => {
    if (typeof part === "number") return `${joined}[${part}]`;
    return joined === "" ? shorten(String(part)) : `${joined}.${shorten(String(part))}`;
  }, "");
  return { path: name, message };
}

/** zod's own words, but for names that are very long or very many. */
function unrecognizedKeys(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => `"${shorten(key)}"`);
  const more = keys.length - named.length;
  return `Unrecognized key${keys.length === 1 ? "" : "s"}: ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** A member's name, which may be anything that the caller wrote. */
function shorten(key: string): string {
  const shown = key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}…` : key;
  return shown.replace(/\p{Cs}/gu, "\ufffd");
}
