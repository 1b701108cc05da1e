import { randomUUID } from "node:crypto";

/** Names and punctuation that ids are made of, short enough for a log line. */
const SANE = /^[\w.:@/+=-]{1,128}$/;

/** The id under which a request is answered and logged: its own `X-Request-Id` when that is sane, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get("X-Request-Id");
  return given !== null && SANE.test(given) ? given : randomUUID();
}
