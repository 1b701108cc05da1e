import type { z } from "zod";
import { AppError, invalidRequest } from "../shared/app-error";
import { parseJson } from "../shared/parse-json";
import { toInputIssue, validationMessages } from "../shared/validation-messages";

/**
 * The JSON value of a request's body. A body that is over `maxBytes` by its `Content-Length` is not read. Bytes are also counted while
 * they arrive, and a body that turns out to be larger is not read to its end.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `invalid_request`
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  requireJson(request.headers);
  return parseJson(await readBody(request, maxBytes));
}

/** As `readJson`; undefined if there is no body. */
export async function readOptionalJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBody(request, maxBytes);
  if (bytes.length === 0) return undefined;
  requireJson(request.headers);
  return parseJson(bytes);
}

/**
 * A page of another site can send forms and text without being asked, but JSON only after a preflight request, which is refused.
 * @throws AppError `unsupported_media_type` unless `Content-Type` is `application/json`; parameters are allowed
 */
export function requireJson(headers: Headers): void {
  if (/^application\/json\s*(;|$)/i.test(headers.get("Content-Type") ?? "")) return;
  throw new AppError("unsupported_media_type", "Send the body as JSON, with Content-Type: application/json.");
}

/** Our bodies are small, so compressing them saves little, and a limit of bytes is simpler without it. RFC 9110, section 15.5.16 */
function requireUncompressed(headers: Headers): void {
  const coding = headers.get("Content-Encoding")?.trim().toLowerCase() || "identity";
  if (coding === "identity") return;
  throw new AppError(
    "unsupported_media_type",
    "Send the body without compression, and without the header Content-Encoding.",
    { headers: { "Accept-Encoding": "identity" } },
  );
}

/** milliseconds in which a body has to arrive; on any network our small bodies take much less */
const BODY_TIMEOUT_MS = 10_000;

/** The bytes of a request's body. @throws AppError `unsupported_media_type` if it is compressed, `body_too_large`, `request_timeout` */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  requireUncompressed(request.headers);
  if (Number(request.headers.get("Content-Length")) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  let isLate = false;
  // The reader is released, never cancelled. Cancelling would break the connection before the response is sent, and a caller who is still
  // sending would not see it.
  const timer = setTimeout(() => {
    isLate = true;
    reader.releaseLock();
  }, BODY_TIMEOUT_MS);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
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

function tooLarge(maxBytes: number): AppError {
  return new AppError("body_too_large", `The body is over the limit of ${maxBytes} bytes.`);
}

/** how much of a refused request's body is read, and for how long */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
const DISCARD_TIMEOUT_MS = 2_000;

/**
 * Reads and discards the rest of a refused request's body. Otherwise a caller who is still sending would not read the response, and the
 * connection could not be used again. Gives up on a body that does not end soon.
 */
export async function discardBody(request: Request): Promise<void> {
  if (request.body === null || request.body.locked) return;
  const reader = request.body.getReader();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ done: true }>((resolve) => {
    timer = setTimeout(resolve, DISCARD_TIMEOUT_MS, { done: true });
  });
  for (let left = MAX_DISCARDED_BYTES; left > 0; ) {
    // A caller that stops sending must still get its response.
    const next = await Promise.race([reader.read(), late]);
    if (next.done) break;
    left -= next.value.byteLength;
  }
  clearTimeout(timer);
}

/** how many issues an error lists, so that the response stays small and readable */
const MAX_ISSUES = 50;

/**
 * `value` as parsed by `schema`. A member that is null counts as missing, unless the schema accepts null.
 * @throws AppError `invalid_request`, which lists up to 50 issues and counts the rest
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parse = (input: unknown) => schema.safeParse(input, { error: validationMessages });
  let parsed = parse(value);
  if (!parsed.success) {
    const nulls = nullsAt(parsed.error.issues, value);
    if (nulls.length > 0) parsed = parse(without(nulls, value));
  }
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const listed = issues.slice(0, MAX_ISSUES).map(toInputIssue);
  const more = issues.length - listed.length;
  throw invalidRequest(more === 0 ? listed : [...listed, { path: "", message: `and ${more} more issues` }]);
}

type Path = readonly PropertyKey[];

/** The paths of members that are null and have an issue. */
function nullsAt(issues: readonly z.core.$ZodIssue[], value: unknown, start: Path = []): Path[] {
  return issues.flatMap((issue) => {
    const path = [...start, ...issue.path];
    if (issue.code === "invalid_union") return issue.errors.flatMap((option) => nullsAt(option, value, path));
    return path.length > 0 && valueAt(path, value) === null ? [path] : [];
  });
}

function valueAt(path: Path, value: unknown): unknown {
  return path.reduce<unknown>((inner, name) => Object(inner)[name], value);
}

/** A copy of `value` without the members at `paths`. The items of a list are members of no object, and stay. */
function without(paths: readonly Path[], value: unknown): unknown {
  const copy = structuredClone(value);
  for (const path of paths) {
    const owner = valueAt(path.slice(0, -1), copy);
    const name = path.at(-1);
    if (name !== undefined && !Array.isArray(owner)) delete Object(owner)[name];
  }
  return copy;
}
