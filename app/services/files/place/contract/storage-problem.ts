import { type EngineErrorCode, FilesError, readRetryAfter } from "platform-embed-element/client";

/**
 * Why a request failed, as far as the explorer distinguishes it. `changed`: a stored file has changed since it was listed. `being_checked`,
 * `blocked`: the malware scanner has not decided yet, or did not find the file safe.
 */
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
  | "being_checked"
  | "blocked"
  | "not_addressable"
  | "different_file"
  | "elsewhere"
  | "refused"
  | "unanswered"
  | "failed";

/** A worker can send `code` and `details` to the page, which creates the problem again. */
export class StorageProblem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly details: {
      /** of the file in an archive that the problem is about */
      path?: string;
      /** what the operator has to do; on a developer's machine only */
      advice?: string;
      requestId?: string;
      /** seconds, from Retry-After */
      retryAfter?: number;
      /** the code in the server's response (docs/contract.md#failures) */
      serverCode?: string;
    } = {},
  ) {
    super(code);
  }

  /** seconds, from Retry-After */
  get retryAfter(): number | undefined {
    return this.details.retryAfter;
  }

  /** Trying again later may help. */
  get isTemporary(): boolean {
    return this.code === "unreachable" || this.code === "unavailable" || this.code === "damaged";
  }
}

/** Any thrown value as a problem; `failed` if nothing more is known. @param development the platform's sentence is the advice */
export function asProblem(error: unknown, development = false): StorageProblem {
  if (error instanceof StorageProblem) return error;
  if (error instanceof FilesError) return problemOfError(error, development);
  // Reading a file that has changed or is gone since it was chosen.
  if (error instanceof DOMException && (error.name === "NotReadableError" || error.name === "NotFoundError"))
    return new StorageProblem("unreadable");
  const code =
    error instanceof Error && "code" in error && error.code === "session_ended" ? "session_ended" : "failed";
  return new StorageProblem(code);
}

/** What the engine finds itself. */
const enginesCodes: Record<string, ProblemCode> = {
  offline: "offline",
  unreachable: "unreachable",
  code_not_loaded: "unreachable",
  cors_blocked: "cors_blocked",
  store_refused: "store_refused",
  not_found: "not_found",
  unavailable: "unavailable",
  denied: "denied",
  damaged: "damaged",
  unreadable: "unreadable",
  different_file: "different_file",
  elsewhere: "elsewhere",
  bad_name: "bad_name",
  refused: "refused",
  unanswered: "unanswered",
  session_ended: "session_ended",
  token_endpoint_failed: "failed",
  token_endpoint_invalid: "failed",
} satisfies { [Code in Exclude<EngineErrorCode, "failed">]: ProblemCode };

/** What the engine throws. @param development this is a developer's machine, where messages say what to fix */
export function problemOfError(error: FilesError, development = false): StorageProblem {
  const { code, status, requestId, retryAfter, message } = error;
  const own = enginesCodes[code];
  const advice = development && message !== code && own !== "refused" ? { advice: message } : {};
  const isFound = own !== undefined && status === undefined;
  const details = { requestId, retryAfter, ...advice, ...(isFound ? {} : { serverCode: code }) };
  return new StorageProblem(own ?? problemOf(code, status), details);
}

/** The problem in an error response (docs/contract.md#failures). @param status 0 when it is unknown: then only the code decides */
export function problemOf(code: string | undefined, status = 0): ProblemCode {
  if (status === 503 || status === 429 || code === "unavailable" || code === "rate_limited")
    return "unavailable";
  if (code === "too_large" || code === "type_not_allowed") return code;
  if (code === "being_checked" || code === "blocked" || code === "not_addressable") return code;
  // Only the file's name comes from the user; the explorer makes the rest of a request.
  if (status === 400) return "bad_name";
  if (status === 404 || code === "bucket_not_found") return "not_found";
  if (status === 403 || code === "scope_not_allowed") return "denied";
  if (status === 401 || code === "invalid_token") return "session_ended";
  return "failed";
}

/** Seconds to wait, from a `Retry-After` header; undefined without one. */
export function retryAfter(header: string | null): number | undefined {
  return readRetryAfter(header, Date.now());
}
