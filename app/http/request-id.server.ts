import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { RequestHandler } from "express";

/** At most as long as a UUID. All API keys, tokens and signatures are longer. */
const PLAIN_ID = /^[\w.:-]{1,36}$/;

/** Headers that hold a credential, which a careless caller may repeat as the request's id. */
const credentialHeaders = ["x-api-key", "authorization", "queue-signature", "upstash-signature"];

/** Middleware: gives each request an id, which its response and its line in the log have too. */
export const giveRequestId: RequestHandler = (request, response, next) => {
  const id = chooseRequestId(request.headers);
  response.locals.requestId = id;
  response.setHeader("X-Request-Id", id);
  next();
};

/**
 * The caller's `X-Request-Id` if that is short and plain, else a new UUID. An id that is part of a credential of the same request is
 * replaced, because it would put that credential into the log.
 */
export function chooseRequestId(headers: IncomingHttpHeaders): string {
  const given = headers["x-request-id"];
  if (typeof given !== "string" || !PLAIN_ID.test(given) || /^pek_/i.test(given)) return randomUUID();
  const isCredential = credentialHeaders.some((name) => String(headers[name] ?? "").includes(given));
  return isCredential && given.length >= 8 ? randomUUID() : given;
}
