/** @param error one sentence, which reveals nothing @param code for programs */
export function refusal(
  status: number,
  code: string,
  error: string,
  headers: Record<string, string> = {},
  requestId?: string,
): Response {
  return json(status, { error, code, requestId }, headers);
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  const all = { ...headers, "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(JSON.stringify(body), { status, headers: all });
}

/** Calls `onError`. If that throws, the caller of the handler still gets a response. */
export const reportTo =
  (onError: (error: unknown) => void) =>
  (error: unknown): void => {
    try {
      onError(error);
    } catch {}
  };

/** The default of `onError`. */
export function log(error: unknown): void {
  console.error("platform-embed:", error);
}
