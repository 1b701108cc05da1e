import type { IncomingMessage } from "node:http";
import type { ErrorRequestHandler, Response } from "express";
import { AppError, errorCodes } from "../shared/app-error";
import { nameAndMessageOf } from "../shared/error-text";
import type { RequestContext } from "../shared/request-context.server";
import type { RateLimits } from "./rate-limits.server";
import { logRequest } from "./request-log.server";
import { type HostRole, pathOf, routeLabelOf } from "./route-table.server";

export function notFound(): AppError {
  return new AppError("not_found", "There is nothing at this address.");
}

/** The route exists, but not at the host of the request. */
export function wrongHost(role: HostRole): AppError {
  if (role !== "api" && role !== "platform") return notFound();
  const variable = role === "api" ? "API_BASE_URL" : "PLATFORM_BASE_URL";
  return new AppError("not_found", `There is nothing at this address. It is at the host of ${variable}.`);
}

/** @param allowed methods, for the header `Allow` */
export function methodNotAllowed(
  allowed: readonly string[],
  message = `This address accepts only ${allowed.join(", ")}.`,
): AppError {
  return new AppError("method_not_allowed", message, { headers: { Allow: allowed.join(", ") } });
}

/** Our own defect; the thrown value is its cause. */
function internalError(thrown: unknown): AppError {
  const message = "Something went wrong on our side. Try again, or quote the request id.";
  return new AppError("internal", message, { cause: thrown, logDetail: nameAndMessageOf(thrown) });
}

/** The AppError for a thrown value. */
export function failureOf(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : internalError(thrown);
}

/**
 * The AppError for a thrown value. A request without a valid credential (401) is counted by its IP address, so that guessing ends in
 * "too many requests".
 */
export async function countedFailureOf(
  thrown: unknown,
  rateLimits: RateLimits,
  { callerAddress }: RequestContext,
): Promise<AppError> {
  const failure = failureOf(thrown);
  if (errorCodes[failure.code].status !== 401) return failure;
  return rateLimits.count("address", callerAddress).then(() => failure, failureOf);
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

/** Answers a request that does not reach Remix, and logs it. */
export function sendFailure(request: IncomingMessage, response: Response, failure: AppError): void {
  const { status, headers, body } = describeFailure(failure);
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(text),
    "Cache-Control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : text);
  // The rest of the body is read and discarded. A caller who is still sending would not read the response otherwise.
  request.resume();
  const { requestId } = response.locals;
  const entry = { method: request.method ?? "", status, milliseconds: 0, failure };
  logRequest({ requestId, route: routeLabelOf(pathOf(request)) }, entry);
}

/** Middleware, the last: answers what Express or Remix threw. Without it Express would send HTML. */
export const answerUnexpectedError: ErrorRequestHandler = (error, request, response, _next) => {
  if (response.headersSent) response.destroy();
  else sendFailure(request, response, internalError(error));
};
