/** A member of the request that the platform refused. */
export interface PlatformIssue {
  /** `scope.bucket` */
  path: string;
  message: string;
}

/**
 * The platform's own codes for refusals (`invalid_api_key`, `scope_not_allowed`, `invalid_request`, …), and these: no connection
 * (`platform_unreachable`), no complete response in time (`platform_timeout`), busy or broken (`platform_unavailable`), and a response
 * that is not the platform's (`platform_invalid`).
 */
export type EmbedUrlErrorCode =
  | "platform_unreachable"
  | "platform_timeout"
  | "platform_unavailable"
  | "platform_invalid"
  | (string & {});

/** Why there is no embed URL. For the integrator's log: it never holds the API key, nor a token. */
export class EmbedUrlError extends Error {
  override readonly name = "EmbedUrlError";
  /** the platform's HTTP status, where it gave one */
  readonly status: number | undefined;
  readonly issues: readonly PlatformIssue[];
  /** under which the platform logged it */
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

  /** The same request may succeed later, although nothing is changed. */
  get retryable(): boolean {
    return ["platform_unreachable", "platform_timeout", "platform_unavailable"].includes(this.code);
  }
}
