import { AppError, errorCodes } from "../app-error";

/** A thrown value as the caller will see it, and what the log needs beside that. */
export interface Failure {
  error: AppError;
  /** where a fault of ours was thrown */
  stack?: string;
}

/** Whatever was thrown, as a failure: an AppError stays what it is, anything else is a fault of ours (500). */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof AppError) return { error: thrown };
  const error = new AppError(
    "internal",
    "Something went wrong on our side. Try again, or quote the request id.",
    {
      cause: thrown,
      logDetail: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    },
  );
  return thrown instanceof Error && thrown.stack ? { error, stack: thrown.stack } : { error };
}

/** The JSON answer of a failure. Decisions, section 2. */
export function failureResponse(error: AppError): Response {
  const { status, answered } = errorCodes[error.code];
  const headers = new Headers(error.headers);
  if (error.retryAfterSeconds !== undefined) headers.set("Retry-After", String(error.retryAfterSeconds));
  return Response.json(
    {
      error: error.message,
      ...(answered ? { code: error.code } : {}),
      ...(error.issues ? { issues: error.issues } : {}),
    },
    { status, headers },
  );
}
