import { errorCodes } from "../app-error";
import type { RequestContext } from "../request-context.server";
import { type Failure, toFailure } from "./failure.server";
import type { RateLimits } from "./rate-limits.server";
import { CLIENT_GONE, logRequest } from "./request-log.server";

/** How a request ended: what is returned, and what its line in the log says. */
export interface Outcome<Result> {
  result: Result;
  status: number;
  /** why a page was refused */
  code?: string;
  failure?: Failure | undefined;
}

/** Does `work`, and writes the request's line. What is thrown because the client went away is no failure of ours. */
export async function logged<Result>(
  request: Request,
  context: RequestContext,
  work: () => Promise<Outcome<Result>>,
): Promise<Result> {
  const started = performance.now();
  const { result, status, code, failure } = await work();
  const isGone = request.signal.aborted;
  logRequest(context, {
    method: request.method,
    status: isGone ? CLIENT_GONE : status,
    milliseconds: performance.now() - started,
    ...(code === undefined ? {} : { code }),
    ...(failure && !isGone ? { failure } : {}),
  });
  return result;
}

/**
 * Whatever was thrown, as a failure. A request without a valid credential (401) is counted against its caller's address: whoever goes on
 * guessing is told no more than that there were too many requests.
 */
export async function failureOf(
  thrown: unknown,
  rateLimits: RateLimits,
  { callerAddress }: RequestContext,
): Promise<Failure> {
  const failure = toFailure(thrown);
  if (errorCodes[failure.error.code].status !== 401) return failure;
  try {
    await rateLimits.count("address", callerAddress);
    return failure;
  } catch (limited) {
    return toFailure(limited);
  }
}
