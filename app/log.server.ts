/**
 * The one way into the log. A line is JSON in production and short text elsewhere. What somebody else wrote (messages of
 * providers and drivers, stacks) passes `redact` first: it quotes what they were sent.
 */

let writesJson = true;
let ownSecrets: string[] = [];

/** How lines look, and what must never be in one. Called once, when the app starts. */
export function configureLog({ json, secrets }: { json: boolean; secrets: readonly string[] }): void {
  writesJson = json;
  ownSecrets = secrets.filter((secret) => secret.length >= 8);
}

export type LogLevel = "info" | "warn" | "error";

/**
 * Writes one line. `fields` are what a program filters by (undefined ones are left out); `text` is the line where a person reads
 * along. Both are written as they are: whoever calls has redacted what is not our own.
 */
export function writeLog(level: LogLevel, fields: Record<string, unknown>, text: () => string): void {
  const line = writesJson ? JSON.stringify({ time: new Date().toISOString(), level, ...fields }) : text();
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else writeSoon(line);
}

let pending: string[] = [];

/** Writes the lines of one turn of the event loop at once: a write for each would cost a busy process a tenth of its time. */
function writeSoon(line: string): void {
  if (pending.length === 0) setImmediate(writePending);
  pending.push(line);
}

function writePending(): void {
  const lines = pending;
  pending = [];
  if (lines.length > 0) console.log(lines.join("\n"));
}

process.on("exit", writePending);

interface LogDetails {
  thrown?: unknown;
  /** of the request in which it happened */
  requestId?: string | undefined;
}

/** A failure that no caller is told of, or not in these words: what happened, and what was thrown. */
export function logError(text: string, { thrown, requestId }: LogDetails = {}): void {
  const message = redact(text);
  const detail = thrown === undefined ? undefined : redact(describeError(thrown));
  writeLog("error", { requestId, message, detail }, () => (detail ? `${message} ${detail}` : message));
}

/** Something that still works and that an operator should look at. */
export function logWarning(text: string, { requestId }: Pick<LogDetails, "requestId"> = {}): void {
  const message = redact(text);
  writeLog("warn", { requestId, message }, () => `Warning: ${message}`);
}

/** `Name: message`, and where our own code threw it. */
export function describeError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack ?? `${thrown.name}: ${thrown.message}`;
}

/** Longer than any word or id of ours (a UUID has 36 characters); tokens, keys and signatures are longer still. */
const LONG_SECRET = /[\w+=~%-]{40,}(\.[\w+=~%-]+)*/g;
const API_KEY = /pek_\w+/g;
/** Also percent-encoded, as in an address. */
const EMAIL_ADDRESS = /[^\s"'<>()[\]{},;:=/\\]{1,64}(@|%40)[\p{L}\p{N}._-]{1,255}/giu;
const CREDENTIAL = /\b(Bearer\s+|Signature=|X-Amz-Signature=|X-Amz-Credential=|token=|t=)[^\s"',&;]+/gi;
/** characters; what is longer is somebody's whole document, and is cut */
const LONGEST = 16_000;

/** `text` without what could be somebody's address, or a key, token or signature of anybody. */
export function redact(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  const withoutOwn = ownSecrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), cut);
  return withoutOwn
    .replace(CREDENTIAL, (_, name: string) => `${name}[redacted]`)
    .replace(API_KEY, "[redacted]")
    .replace(EMAIL_ADDRESS, "[address]")
    .replace(LONG_SECRET, "[redacted]");
}
