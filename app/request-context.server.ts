/**
 * What every step of one request shares: its id, and the moment at which it has to have its response. It is handed down by
 * hand: Node's AsyncLocalStorage would cost each request about a tenth of its processor time before Node 24. docs/decisions/0062.
 */
export interface RequestContext {
  requestId: string;
  /** which of our addresses is asked, like `/embed/:service`; never the path itself, which may hold a secret */
  address: string;
  /** where the request comes from: an IP address, as far as it can be known */
  callerAddress: string;
  /** by `performance.now()`, milliseconds */
  deadline: number;
  /** the caller has gone: nobody waits for the response */
  signal?: AbortSignal;
}

/** What a call of a provider has to know of the request that it belongs to; a command has none. */
export type CallContext = Pick<RequestContext, "deadline">;

/**
 * How long a call may take, milliseconds: `limitMs`, or what is left of the request where that is less. At least 1, so that
 * a request whose time is over fails at once rather than never.
 */
export function timeLeft(limitMs: number, request: CallContext | undefined): number {
  if (request === undefined) return limitMs;
  return Math.max(1, Math.min(limitMs, Math.floor(request.deadline - performance.now())));
}
