/** What keeps a request from succeeding, in the terms that the screen explains. `changed`: a stored file is no longer what it was when it was listed. */
export type ProblemCode =
  | "offline"
  | "unreachable"
  | "unavailable"
  | "denied"
  | "not_found"
  | "session_ended"
  | "cors_blocked"
  | "store_refused"
  | "too_large"
  | "type_not_allowed"
  | "bad_name"
  | "damaged"
  | "unreadable"
  | "changed"
  | "different_file"
  | "elsewhere"
  | "refused"
  | "unanswered"
  | "failed";

/** Its members can be sent as a message from a worker to the page, and make it anew there. */
export class StorageProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly details: {
      /** of the file in an archive that it is about */
      path?: string;
      /** what its operator has to do: known on a developer's machine only */
      advice?: string;
      requestId?: string;
      /** seconds, from Retry-After */
      retryAfter?: number;
      /** the service's own code (docs/contract.md#failures) */
      said?: string;
      /** why the page around refused a file, in its own words */
      reason?: string;
      /** the connection stood still */
      stalled?: boolean;
    } = {},
  ) {
    super(code);
  }

  /** It may well be gone after a while. */
  get isTemporary(): boolean {
    return this.code === "unreachable" || this.code === "unavailable" || this.code === "damaged";
  }
}

/** The problem in whatever was thrown; anything else is `failed`. */
export function asProblem(error: unknown): StorageProblem {
  if (error instanceof StorageProblem) return error;
  // What a file that has changed or gone since it was chosen says when it is read.
  if (error instanceof DOMException && (error.name === "NotReadableError" || error.name === "NotFoundError"))
    return new StorageProblem("unreadable");
  const code =
    error instanceof Error && "code" in error && error.code === "session_ended" ? "session_ended" : "failed";
  return new StorageProblem(code);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Error responses (docs/contract.md#failures) as problems. `status` may be unknown: then the code alone decides. */
export function problemOf(code: string | undefined, status = 0): ProblemCode {
  if (status === 503 || status === 429 || code === "unavailable" || code === "rate_limited")
    return "unavailable";
  // Without a word of ours they are a proxy's, while the service starts again behind it.
  if (code === undefined && (status === 502 || status === 504)) return "unavailable";
  if (code === "too_large" || code === "type_not_allowed") return code;
  // Everything else that we send is made by us: only a file's name can be invalid.
  if (status === 400) return "bad_name";
  if (status === 404 || code === "bucket_not_found") return "not_found";
  if (status === 403 || code === "scope_not_allowed") return "denied";
  if (status === 401 || code === "invalid_token") return "session_ended";
  return "failed";
}

/** Seconds to wait, from either form of the header (RFC 9110, section 10.2.3); undefined when there is none. */
export function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}
