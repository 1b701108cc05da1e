import { forTerminal } from "../../embed-element/doctor/for-terminal";

/**
 * Writes the log: one JSON object per line in production, short text elsewhere. Messages of providers and drivers, and stacks, pass
 * `redact` first, because they may quote what was sent to them.
 */

import { LogOutput } from "./log-output.server";

let writesJson = true;
let ownSecrets: string[] = [];

/** Sets the format, and the secrets that no line may contain. Called once, when the app starts. */
export function configureLog({ json, secrets }: { json: boolean; secrets: readonly string[] }): void {
  writesJson = json;
  ownSecrets = secrets.filter((secret) => secret.length >= 8);
}

/** Session secrets that are kept: those of the last renewals, of each set of credentials. Older ones have ended. */
const MAX_SESSION_SECRETS = 16;
let sessionSecrets: string[] = [];

/** Adds secrets that change while the process runs. */
export function redactAlso(secrets: readonly string[]): void {
  const long = secrets.filter((secret) => secret.length >= 8 && !sessionSecrets.includes(secret));
  sessionSecrets = [...sessionSecrets, ...long].slice(-MAX_SESSION_SECRETS);
}

type LogLevel = "info" | "warn" | "error";

/**
 * A line of the log. `fields` are for programs (undefined ones are left out), `text` is for people. Control characters are escaped, because
 * people look at logs in terminals.
 */
function formatLine(level: LogLevel, fields: Record<string, unknown>, text: () => string): string {
  return forTerminal(
    writesJson ? JSON.stringify({ time: new Date().toISOString(), level, ...fields }) : text(),
  );
}

function describeLost(lines: number): string {
  const message = `${lines} ${lines === 1 ? "line" : "lines"} of the log could not be written here, and ${lines === 1 ? "is" : "are"} lost.`;
  return formatLine("warn", { message, lost: lines }, () => `Warning: ${message}`);
}

/** Gets lines of level `info`. */
export const standardOutput = new LogOutput(process.stdout, describeLost);
/** Gets warnings and errors. */
export const standardError = new LogOutput(process.stderr, describeLost);

/** The number of lines that this process could not write. */
export function countLostLines(): number {
  return standardOutput.totalLost + standardError.totalLost;
}

/** Writes one line. Both `fields` and `text` are written unchanged: callers redact what is not our own. */
export function writeLog(level: LogLevel, fields: Record<string, unknown>, text: () => string): void {
  const line = formatLine(level, fields, text);
  if (level === "info") writeSoon(line);
  else standardError.write(line);
}

let pending: string[] = [];

/** Writes all lines of one turn of the event loop together. Separate writes would cost a busy process a tenth of its time. */
function writeSoon(line: string): void {
  if (pending.length === 0) setImmediate(writePending);
  pending.push(line);
}

function writePending(): void {
  const lines = pending;
  pending = [];
  if (lines.length > 0) standardOutput.write(lines.join("\n"));
}

process.on("exit", writePending);

interface LogDetails {
  thrown?: unknown;
  /** of the request in which it happened */
  requestId?: string | undefined;
}

/** Logs an error that no caller sees in this form: what happened, and what was thrown. */
export function logError(text: string, { thrown, requestId }: LogDetails = {}): void {
  const message = redact(text);
  const detail = thrown === undefined ? undefined : redact(describeError(thrown));
  writeLog("error", { requestId, message, detail }, () => (detail ? `${message} ${detail}` : message));
}

/** Logs something that an operator wants to know. No action is needed. */
export function logInfo(text: string): void {
  const message = redact(text);
  writeLog("info", { message }, () => message);
}

/** Logs something that still works but needs an operator's attention. */
export function logWarning(text: string, { requestId }: Pick<LogDetails, "requestId"> = {}): void {
  const message = redact(text);
  writeLog("warn", { requestId, message }, () => `Warning: ${message}`);
}

/** `Name: message` and the stack. */
function describeError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.stack ?? `${thrown.name}: ${thrown.message}`;
}

/** Longer than any of our words and ids (a UUID has 36 characters). Tokens, keys and signatures are longer. */
const LONG_SECRET = /[\w+=~%-]{40,}(\.[\w+=~%-]+)*/g;
const API_KEY = /pek_\w+/g;
/** Also percent-encoded, as in a URL, and with quotes before the `@`, which are escaped in JSON. */
const EMAIL_ADDRESS = /[^\s"'<>()[\]{},;:=/\\]{1,64}(?:\\?")?(@|%40)[\p{L}\p{N}._-]{1,255}/giu;
const CREDENTIAL =
  /\b(Bearer\s+|Signature=|X-Amz-Signature=|X-Amz-Credential=|X-Amz-Security-Token=|token=|t=)[^\s"',&;]+/gi;
/** characters; longer text is probably a whole document, and is cut */
const MAX_LENGTH = 16_000;

/** `text` without e-mail addresses, keys, tokens and signatures. */
export function redact(text: string): string {
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  const withoutOwn = [...ownSecrets, ...sessionSecrets].reduce(
    (rest, secret) => rest.replaceAll(secret, "[redacted]"),
    cut,
  );
  return withoutOwn
    .replace(CREDENTIAL, (_, name: string) => `${name}[redacted]`)
    .replace(API_KEY, "[redacted]")
    .replace(EMAIL_ADDRESS, "[address]")
    .replace(LONG_SECRET, "[redacted]");
}
