import { AppError, errorCodes } from "../app-error";
import { nameAndMessageOf } from "../error-text";

/** A thrown value as the caller will see it, and what the log needs beside that. */
export interface Failure {
  error: AppError;
  /** where a defect of ours was thrown */
  stack?: string;
}

/** Whatever was thrown, as a failure: an AppError stays what it is, anything else is a defect of ours (500). */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof AppError) return { error: thrown };
  const error = new AppError(
    "internal",
    "Something went wrong on our side. Try again, or quote the request id.",
    {
      cause: thrown,
      logDetail: nameAndMessageOf(thrown),
    },
  );
  return thrown instanceof Error && thrown.stack ? { error, stack: thrown.stack } : { error };
}

/** What a failure is answered with: `{ error, code?, issues? }`, as the README says under "Failures". */
export function describeFailure(error: AppError): {
  status: number;
  headers: Record<string, string>;
  body: object;
} {
  const { status, answered } = errorCodes[error.code];
  return {
    status,
    headers: {
      ...error.headers,
      ...(error.retryAfterSeconds === undefined ? {} : { "Retry-After": String(error.retryAfterSeconds) }),
    },
    body: {
      error: error.message,
      ...(answered ? { code: error.code } : {}),
      ...(error.issues ? { issues: error.issues } : {}),
    },
  };
}

/** `describeFailure` as the response of a route. */
export function failureResponse(error: AppError): Response {
  const { status, headers, body } = describeFailure(error);
  return Response.json(body, { status, headers });
}
