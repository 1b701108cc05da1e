/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  // Of a host with two addresses, neither of which answers, Node says nothing itself.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message || error.name : String(error);
}

/** `Name: message`, for a log. */
export function nameAndMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Node's or the driver's code of an error, like `ECONNREFUSED`; empty where it has none. */
export function codeOf(error: unknown): string {
  // A DOMException has a number, which says nothing.
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** What `fetch` failed for: it keeps the reason in `cause`. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? error.cause : error;
}
