import { AppError, errorCodes } from "../app-error";
import { nameAndMessageOf } from "../error-text";
import type { RequestContext } from "../request-context.server";
import type { RateLimits } from "./rate-limits.server";

/**
 * Whatever was thrown, as an AppError: anything else is a defect of ours (500), kept as its cause. A request without a valid credential
 * (401) is counted against its caller's address: whoever goes on guessing is told no more than that there were too many requests.
 */
export async function failureOf(
  thrown: unknown,
  rateLimits: RateLimits,
  { callerAddress }: RequestContext,
): Promise<AppError> {
  const failure = toAppError(thrown);
  if (errorCodes[failure.code].status !== 401) return failure;
  return rateLimits.count("address", callerAddress).then(() => failure, toAppError);
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = "Something went wrong on our side. Try again, or quote the request id.";
  return new AppError("internal", message, { cause: thrown, logDetail: nameAndMessageOf(thrown) });
}

/** The response to a failure: `{ error, code?, issues? }`, see docs/contract.md#failures. */
export function describeFailure({ code, message, issues, headers, retryAfterSeconds }: AppError) {
  const { status, inBody } = errorCodes[code];
  return {
    status,
    headers: {
      ...headers,
      ...(retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) }),
    },
    body: { error: message, ...(inBody ? { code } : {}), ...(issues ? { issues } : {}) },
  };
}
