import { embeddingOriginOf, normalizeOrigin } from "./origin";
import { readSignedValue, signValue } from "./signed-value.server";

/** The parameter of a frame's address that has a signed origin. */
export const EMBEDDED_BY = "embedded-by";

/**
 * The origin that the browser named when it loaded a refused frame, signed. A page that navigates itself is sent without the `Referer` of
 * the page around it, so this takes its place. It does not expire: it says no more than a `Referer`, and browsers check `frame-ancestors` anyway.
 */
export const signEmbeddedBy = (origin: string, secret: string): string =>
  signValue({ origin }, secret, EMBEDDED_BY);

/**
 * The origin of the page that embeds a frame: by the headers, or else the one that we have signed. Null if neither says it, and for
 * `Origin: null`.
 * @param signed the parameter of the frame's address
 */
export function findEmbeddingOrigin(
  headers: Headers,
  signed: string | null,
  secrets: readonly string[],
): string | null {
  if (signed === null || headers.has("Origin") || headers.has("Referer")) return embeddingOriginOf(headers);
  const { origin }: { origin?: unknown } = Object(readSignedValue(signed, secrets, EMBEDDED_BY));
  return typeof origin === "string" ? normalizeOrigin(origin) : null;
}
