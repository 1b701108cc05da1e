import type { EngineErrorCode, FilesError } from "platform-embed-element/client";

/** What the explorer says for a code: of the engine, or of the platform (docs/contract.md#failures). */
const codes = {
  offline: "offline",
  unreachable: "unreachable",
  code_not_loaded: "unreachable",
  unavailable: "unavailable",
  rate_limited: "unavailable",
  denied: "denied",
  scope_not_allowed: "denied",
  not_found: "not_found",
  bucket_not_found: "not_found",
  session_ended: "session_ended",
  invalid_token: "session_ended",
  cors_blocked: "cors_blocked",
  store_refused: "store_refused",
  too_large: "too_large",
  type_not_allowed: "type_not_allowed",
  quota_exceeded: "quota_exceeded",
  bad_name: "bad_name",
  damaged: "damaged",
  unreadable: "unreadable",
  changed: "changed",
  being_checked: "being_checked",
  blocked: "blocked",
  not_addressable: "not_addressable",
  different_file: "different_file",
  elsewhere: "elsewhere",
  refused: "refused",
  unanswered: "unanswered",
  token_endpoint_failed: "failed",
  token_endpoint_invalid: "failed",
  failed: "failed",
} as const satisfies Record<EngineErrorCode, string> & Record<string, string>;

/** Why something failed, as far as the explorer distinguishes it. */
export type ProblemCode = (typeof codes)[keyof typeof codes];

export function problemCode({ code, status }: Pick<FilesError, "code" | "status">): ProblemCode {
  if (Object.hasOwn(codes, code)) return codes[code as keyof typeof codes];
  // Only the file's name comes from the user; the explorer makes the rest of a request.
  if (status === 400) return "bad_name";
  if (status === 401) return "session_ended";
  if (status === 403) return "denied";
  if (status === 404) return "not_found";
  return status === 429 || status === 503 ? "unavailable" : "failed";
}
