/** What the engine itself finds; all other codes are the platform's (docs/contract.md#failures). */
export type EngineErrorCode =
  /** there is no network */
  | "offline"
  /** the platform did not answer */
  | "unreachable"
  /** there is no valid token any more */
  | "session_ended"
  /** `fetchToken` failed for good, or returned no new embed URL of the service */
  | "token_endpoint_failed"
  | "token_endpoint_invalid"
  /** A module of the engine could not be loaded. A release may have removed it, so the person decides when to try again. */
  | "code_not_loaded"
  /** what the platform finds when a browser cannot reach the store: its CORS rules, or a refusal of our signature */
  | "cors_blocked"
  | "store_refused"
  | "not_found"
  /** the store is busy */
  | "unavailable"
  /** the store refuses a signed request, and the platform finds no reason */
  | "denied"
  /** a stored file has changed since it was listed */
  | "changed"
  /** the file has a key that a browser cannot fetch */
  | "not_addressable"
  /** the bytes changed on their way to the store */
  | "damaged"
  /** the file has changed or is gone since it was chosen */
  | "unreadable"
  /** an upload cannot continue with this file: it was begun with another one */
  | "different_file"
  /** another tab sends the upload */
  | "elsewhere"
  /** the file's name cannot be stored */
  | "bad_name"
  /** whoever approves uploads has refused the file; the message says why, if they have said so */
  | "refused"
  /** whoever approves uploads has not decided in time */
  | "unanswered"
  /** nothing more is known */
  | "failed";

export type ErrorDetails = Partial<
  Pick<FilesError, "status" | "requestId" | "retryAfter" | "path" | "message">
>;

/** Why an operation failed. The message is the platform's sentence for developers, or the code. */
export class FilesError extends Error {
  override readonly name = "FilesError";
  /** of the response; undefined without one */
  readonly status: number | undefined;
  /** names the request in the platform's log */
  readonly requestId: string | undefined;
  /** seconds after which to try again */
  readonly retryAfter: number | undefined;
  /** of the one file among several that it is about; in an archive, its path there */
  readonly path: string | undefined;

  constructor(
    readonly code: EngineErrorCode | (string & {}),
    { status, requestId, retryAfter, path, message = code }: ErrorDetails = {},
  ) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.path = path;
  }

  /** The same error as plain data, which can be posted to and from a worker: `new FilesError(code, details)` is the error again. */
  toPlain(): { code: string; details: ErrorDetails } {
    const { code, status, requestId, retryAfter, path, message } = this;
    return { code, details: { status, requestId, retryAfter, path, message } };
  }

  /** The same error, about one file. If it names one already, that stays. */
  about(path: string): FilesError {
    const { code, details } = this.toPlain();
    return new FilesError(code, { ...details, path: this.path ?? path });
  }

  /** Trying again later may help. */
  get isTemporary(): boolean {
    const { code, status } = this;
    if (status === 429 || status === 503) return true;
    return ["unreachable", "unavailable", "rate_limited", "damaged"].includes(code);
  }
}

/** Any thrown value as a `FilesError`; `failed` if nothing more is known. */
export function asFilesError(error: unknown): FilesError {
  if (error instanceof FilesError) return error;
  if (error instanceof DOMException && (error.name === "NotReadableError" || error.name === "NotFoundError"))
    return new FilesError("unreadable");
  // Whoever hands out tokens says so.
  const hasEnded = error instanceof Error && "code" in error && error.code === "session_ended";
  const details = error instanceof Error ? { message: error.message } : {};
  return new FilesError(hasEnded ? "session_ended" : "failed", details);
}

/** The name is taken at the destination. The platform says so, or the store does, with a 412. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof FilesError && error.code === "name_taken";
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** A response without success. @param date milliseconds since 1970, for a `Retry-After` that is a date */
export async function errorOfResponse(response: Response, date: number): Promise<FilesError> {
  const { status, headers } = response;
  const body = (await response.json().catch(() => ({}))) as { code?: string; error?: string };
  // Without a code, the response comes from a proxy while the service restarts.
  const isProxys = status === 502 || status === 503 || status === 504;
  return new FilesError(body.code ?? (isProxys ? "unavailable" : "failed"), {
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
    retryAfter: readRetryAfter(headers.get("Retry-After"), date),
    ...(body.error !== undefined && { message: body.error }),
  });
}

/**
 * Seconds to wait, from a `Retry-After` header in either form (RFC 9110, section 10.2.3); undefined without one.
 * @param date milliseconds since 1970
 */
export function readRetryAfter(header: string | null, date: number): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - date) / 1000;
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : undefined;
}
