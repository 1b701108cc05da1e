/**
 * An error that the caller sees. It has two messages: `message` is a sentence for the caller, and `logDetail` goes only to the log.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: AppErrorCode;
  readonly logDetail: string | undefined;
  /** All errors of the input, each with the path of its member. Only with `invalid_request` and `job_refused`. */
  readonly issues: InputIssue[] | undefined;
  /** When to try again, in whole seconds. It becomes the `Retry-After` header. */
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Record<string, string>;
  /** The outcome of a provider's call in metrics and traces. */
  readonly outcome: string;

  constructor(code: AppErrorCode, message: string, details: AppErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.logDetail = details.logDetail;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.headers = details.headers ?? {};
    this.outcome = details.outcome ?? code;
  }
}

export interface AppErrorDetails {
  logDetail?: string;
  issues?: InputIssue[];
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
  /** by default the code */
  outcome?: string;
  cause?: unknown;
}

export interface InputIssue {
  /** members joined by dots, list places in brackets: `scope.bucket`, `to[3]`; empty for the body as a whole */
  path: string;
  message: string;
}

/** Whether an error is an AppError with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly AppErrorCode[]): error is AppError {
  return error instanceof AppError && codes.includes(error.code);
}

/** An invalid request, with all errors found. */
export function invalidRequest(issues: InputIssue[], details: AppErrorDetails = {}): AppError {
  return new AppError("invalid_request", "The request is invalid. See issues for each error.", {
    ...details,
    issues,
  });
}

/**
 * The HTTP status of each code, and whether the response contains the code. Codes in responses are for programs, and stable.
 * docs/contract.md#failures
 */
export const errorCodes = {
  invalid_request: { status: 400, inBody: true },
  invalid_api_key: { status: 401, inBody: true },
  api_key_expired: { status: 401, inBody: true },
  invalid_bearer_token: { status: 401, inBody: true },
  invalid_token: { status: 401, inBody: true },
  invalid_signature: { status: 401, inBody: true },
  token_expired: { status: 401, inBody: true },
  token_revoked: { status: 401, inBody: true },
  service_not_allowed: { status: 403, inBody: true },
  service_not_enabled: { status: 403, inBody: true },
  // Of the embed page, too.
  origin_not_allowed: { status: 403, inBody: true },
  scope_not_allowed: { status: 403, inBody: true },
  too_large: { status: 403, inBody: true },
  quota_exceeded: { status: 403, inBody: true },
  type_not_allowed: { status: 403, inBody: true },
  blocked: { status: 403, inBody: true },
  bucket_not_found: { status: 404, inBody: true },
  company_not_found: { status: 404, inBody: true },
  client_not_found: { status: 404, inBody: true },
  upload_not_found: { status: 404, inBody: true },
  webhook_not_found: { status: 404, inBody: true },
  not_found: { status: 404, inBody: true },
  // The whole body of this response is fixed. docs/contract.md#failures
  resource_not_found: { status: 404, inBody: false },
  method_not_allowed: { status: 405, inBody: true },
  being_checked: { status: 409, inBody: true },
  not_addressable: { status: 409, inBody: true },
  upload_incomplete: { status: 409, inBody: true },
  upload_conflict: { status: 409, inBody: true },
  checksum_mismatch: { status: 409, inBody: true },
  name_taken: { status: 409, inBody: true },
  client_not_live: { status: 409, inBody: true },
  rotation_conflict: { status: 409, inBody: true },
  webhook_limit_reached: { status: 409, inBody: true },
  credential_limit_reached: { status: 409, inBody: true },
  webhook_disabled: { status: 409, inBody: true },
  settings_differ: { status: 409, inBody: true },
  database_not_active: { status: 409, inBody: true },
  database_dropped: { status: 409, inBody: true },
  idempotency_in_progress: { status: 409, inBody: true },
  request_timeout: { status: 408, inBody: true },
  body_too_large: { status: 413, inBody: true },
  unsupported_media_type: { status: 415, inBody: true },
  // In no response: `results` says it in words, and the queue is told `job_refused`.
  email_refused: { status: 422, inBody: false },
  idempotency_mismatch: { status: 422, inBody: true },
  // The queue's own word for "do not deliver this again". docs/contract.md#campaigns
  job_refused: { status: 489, inBody: true },
  rate_limited: { status: 429, inBody: true },
  internal: { status: 500, inBody: true },
  provider_failed: { status: 502, inBody: true },
  unavailable: { status: 503, inBody: true },
  // Of the embed page alone. docs/contract.md#rendering
  token_missing: { status: 401, inBody: true },
  service_mismatch: { status: 403, inBody: true },
  referrer_missing: { status: 403, inBody: true },
} as const satisfies Record<string, { status: number; inBody: boolean }>;

export type AppErrorCode = keyof typeof errorCodes;
