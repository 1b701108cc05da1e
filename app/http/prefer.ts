/**
 * The seconds of `wait` in a header `Prefer`: how long the caller wants to wait for the response at most. Undefined if there is none, or if it
 * is not a whole number of at least 1, because a preference that makes no sense is ignored. RFC 7240, section 4.3.
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  const [, value = ""] = /(?:^|,)\s*wait\s*=\s*([^,;]*)/i.exec(prefer ?? "") ?? [];
  const seconds = /^"?(\d{1,9})"?\s*$/.exec(value)?.[1];
  return Number(seconds) || undefined;
}

/** Whether the caller wants a response at once, and looks for the result later. RFC 7240, section 4.1. */
export function prefersAsync(prefer: string | undefined): boolean {
  return /(?:^|,)\s*respond-async\s*(?:$|[,;])/i.test(prefer ?? "");
}
