import { AsyncLocalStorage } from "node:async_hooks";

/**
 * What every step of one request shares: its id, and the moment at which it has to have its answer. It goes along by itself,
 * so that a provider call deep inside can end in time although nobody between handed it anything.
 */
export interface RequestContext {
  requestId: string;
  /** which of our addresses is asked, like `/embed/:service`; never the path itself, which may hold a secret */
  address: string;
  /** where the request comes from: an IP address, as far as it can be known */
  callerAddress: string;
  /** by `performance.now()`, milliseconds */
  deadline: number;
}

const contexts = new AsyncLocalStorage<RequestContext>();

/** Runs `work` so that everything it starts finds `context`. */
export function runInRequest<Result>(context: RequestContext, work: () => Result): Result {
  return contexts.run(context, work);
}

/** What the request that is being answered shares; undefined outside of one, as in a command. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}

/** The id of the request that is being answered; undefined outside of one, as in a command. */
export function currentRequestId(): string | undefined {
  return contexts.getStore()?.requestId;
}

/**
 * How long a call may take, milliseconds: `limitMs`, or what is left of the request where that is less. At least 1, so that
 * a request whose time is over fails at once rather than never.
 */
export function timeLeft(limitMs: number): number {
  const context = contexts.getStore();
  if (context === undefined) return limitMs;
  return Math.max(1, Math.min(limitMs, Math.floor(context.deadline - performance.now())));
}
