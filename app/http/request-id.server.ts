import { randomUUID } from "node:crypto";

/** As long as a UUID at most: every API key, token and signature of ours is longer. */
const SANE = /^[\w.:-]{1,36}$/;

/** Headers that hold somebody's credential, which a careless caller may repeat as an id. */
const credentials = ["x-api-key", "authorization", "queue-signature", "upstash-signature"];

/**
 * The id under which a request is answered and logged: its own `X-Request-Id` where that is short and plain, else a new one.
 * An id that is part of a credential of the same request would carry that into the log.
 */
export function chooseRequestId(headers: Record<string, string | string[] | undefined>): string {
  const given = headers["x-request-id"];
  if (typeof given !== "string" || !SANE.test(given) || /^pek_/i.test(given)) return randomUUID();
  const isCredential = credentials.some((name) => String(headers[name] ?? "").includes(given));
  return isCredential && given.length >= 8 ? randomUUID() : given;
}
