import type { ServerResponse } from "node:http";

/**
 * The id and the deadline of one request. It is passed as an argument, because Node's AsyncLocalStorage costs each request about a tenth of
 * its processor time before Node 24. docs/decisions/0051
 */
export interface RequestContext {
  requestId: string;
  /** such as `/embed/:service`; never the path itself, which may contain a secret */
  route: string;
  /** the caller's IP address, as far as it is known */
  callerAddress: string;
  /** by `performance.now()`, milliseconds */
  deadline: number;
  /** the caller has gone: nobody waits for the response */
  signal?: AbortSignal;
  /** what the response is written to, only to see how much of it the caller has taken; not there under `remix-serve` */
  response?: ServerResponse | undefined;
}

/** milliseconds that a request may spend on providers, all calls together; an endpoint may ask for more */
export const REQUEST_BUDGET_MS = 12_000;

/** What the server's middleware knows of a request. Plain `remix-serve` has no such middleware. */
export type KnownOfRequest = Partial<Pick<RequestContext, "requestId" | "callerAddress" | "response">>;

/** The context of a request for `route`. @param budgetMs milliseconds */
export function contextOf(
  { signal }: Request,
  route: string,
  { requestId = crypto.randomUUID(), callerAddress = "unknown", response }: KnownOfRequest = {},
  budgetMs = REQUEST_BUDGET_MS,
): RequestContext {
  return { requestId, route, callerAddress, deadline: performance.now() + budgetMs, signal, response };
}

/** What a call of a provider has to know of the request that it belongs to; a command has none. */
export type CallContext = Pick<RequestContext, "deadline">;

/**
 * The time limit of a call in milliseconds: `limitMs`, or the rest of the request's time if that is shorter. At least 1, so that a request
 * without time left fails at once.
 */
export function timeLeft(limitMs: number, context: CallContext | undefined): number {
  if (context === undefined) return limitMs;
  return Math.max(1, Math.min(limitMs, Math.floor(context.deadline - performance.now())));
}
