/** A member of the request that the platform refused. */
export interface PlatformIssue {
  /** `scope.bucket` */
  path: string;
  message: string;
}

/**
 * A code of the platform's API (`invalid_api_key`, `scope_not_allowed`, `invalid_request`, …), or one of these: no connection
 * (`platform_unreachable`), no complete response in time (`platform_timeout`), a response of 5xx, 408 or 429
 * (`platform_unavailable`), or a response that does not come from the platform's API (`platform_invalid`).
 */
export type EmbedUrlErrorCode =
  | "platform_unreachable"
  | "platform_timeout"
  | "platform_unavailable"
  | "platform_invalid"
  | (string & {});

/** A setting or the scope is missing or invalid. The message names the member and contains no value. A retry cannot succeed. */
export class ConfigurationError extends TypeError {
  override readonly name = "ConfigurationError";
}

/** Why no embed URL was issued, or why no tokens were revoked. For the integrator's log: it contains neither the API key nor a token. */
export class EmbedUrlError extends Error {
  override readonly name = "EmbedUrlError";
  /** the HTTP status of the platform's response, if there was one */
  readonly status: number | undefined;
  readonly issues: readonly PlatformIssue[];
  /** identifies the request in the platform's log */
  readonly requestId: string | undefined;
  /** seconds, from Retry-After */
  readonly retryAfter: number | undefined;

  constructor(
    /** stable, for programs */
    readonly code: EmbedUrlErrorCode,
    message: string,
    details: {
      status?: number;
      issues?: readonly PlatformIssue[];
      requestId?: string;
      retryAfter?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }

  /** Whether the same request may succeed later, although nothing is changed. */
  get retryable(): boolean {
    return ["platform_unreachable", "platform_timeout", "platform_unavailable"].includes(this.code);
  }
}
