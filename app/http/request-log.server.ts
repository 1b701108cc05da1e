import { errorCodes } from "../app-error";
import type { Failure } from "./failure.server";

export interface RequestLogEntry {
  requestId: string;
  method: string;
  /** without the query, which may hold a token */
  path: string;
  status: number;
  milliseconds: number;
  /** why a page was refused */
  code?: string;
  failure?: Failure;
}

/**
 * One line for each request: JSON in production, a short text elsewhere. Never a header, a body, a query or a long path
 * segment: that is where tokens, keys and signatures are.
 */
export function logRequest(entry: RequestLogEntry, production: boolean): void {
  const { failure } = entry;
  const milliseconds = Math.round(entry.milliseconds * 10) / 10;
  const code = failure?.error.code ?? entry.code ?? "";
  const path = withoutLongSegments(entry.path);
  const isFault = failure !== undefined && errorCodes[failure.error.code].status >= 500;
  const write = isFault ? console.error : console.log;
  if (!production) {
    const outcome = failure ? detailOf(failure) : "";
    write(`${entry.method} ${path} ${entry.status} ${milliseconds} ms ${code}${outcome}`.trimEnd());
    return;
  }
  write(
    JSON.stringify({
      time: new Date().toISOString(),
      level: isFault ? "error" : "info",
      requestId: entry.requestId,
      method: entry.method,
      path,
      status: entry.status,
      milliseconds,
      ...(code === "" ? {} : { code }),
      ...(failure ? { detail: failure.error.logDetail, stack: failure.stack } : {}),
    }),
  );
}

function detailOf({ error, stack }: Failure): string {
  return (error.logDetail ? ` (${error.logDetail})` : "") + (stack ? `\n${stack}` : "");
}

/** Our own addresses have no segment near this long; a token pasted into a path does. */
const LONGEST_SEGMENT = 40;

function withoutLongSegments(path: string): string {
  return path
    .split("/")
    .map((segment) => (segment.length > LONGEST_SEGMENT ? "…" : segment))
    .join("/");
}
