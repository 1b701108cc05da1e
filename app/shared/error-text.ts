/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  // If a host has two addresses and neither responds, Node's AggregateError has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message || error.name : String(error);
}

/** `Name: message`, for a log. */
export function nameAndMessageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** The error code of Node or a driver, such as `ECONNREFUSED`; empty if there is none. */
export function codeOf(error: unknown): string {
  // The code of a DOMException is a number without meaning.
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** The reason why `fetch` failed: it keeps it in `cause`. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? error.cause : error;
}
