import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

/**
 * What goes wrong with a request, for tests of how others bear it. Applied in the order of its members. A preflight is a
 * request with the method OPTIONS: to refuse it, inject an `error`; to make it one that allows nothing, `withoutCors`.
 */
export interface Fault {
  /** wait so long, in milliseconds, before anything else */
  delayMs?: number;
  /** take the request and never respond; ends when the client goes away, or the store is closed */
  hang?: true;
  /** close the connection without an answer */
  reset?: boolean;
  /** answer with this, whatever the request asks for: `{ status: 503, code: "SlowDown" }` */
  error?: { status: number; code: string; message?: string };
  /** let no more than so many bytes a second of the body in */
  bytesPerSecond?: number;
  /** close the connection once so many bytes of the body (more than 0, as it goes over the wire) have arrived */
  resetAfterBytes?: number;
  /** leave every `Access-Control-*` header out of the response, an injected error's included */
  withoutCors?: true;
}

/** Asked once for each request, before its signature is looked at; undefined lets it pass untouched. */
export type Intercept = (request: {
  method: string;
  bucket: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}) => Fault | undefined;

/** How far the store's clock is off, in milliseconds: one figure, or a function that is asked each time. */
export type ClockOffset = number | (() => number);

/** The store's clock, in Unix milliseconds. */
export function clockWith(offsetMs: ClockOffset = 0): () => number {
  return () => Date.now() + (typeof offsetMs === "function" ? offsetMs() : offsetMs);
}

/** What a fault does before the request is looked at. Rejects when the connection is closed by it, or meanwhile. */
export async function inject(fault: Fault, raw: IncomingMessage): Promise<void> {
  if (fault.delayMs !== undefined) await setTimeout(fault.delayMs);
  if (fault.hang && !raw.socket.destroyed) await once(raw.socket, "close");
  if (fault.reset) raw.socket.destroy();
  if (raw.socket.destroyed) throw new Error("the connection is closed");
}

/** The body as the fault lets it in. */
export async function* impair(raw: IncomingMessage, fault: Fault): AsyncGenerator<Buffer> {
  const { bytesPerSecond, resetAfterBytes = Number.POSITIVE_INFINITY } = fault;
  let received = 0;
  // The iterator, not the stream: a pipeline would destroy the stream on an error, and with it the way to answer.
  for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received >= resetAfterBytes) {
      raw.socket.destroy();
      throw new Error("the connection is closed");
    }
    if (bytesPerSecond !== undefined) await setTimeout((chunk.length / bytesPerSecond) * 1000);
    yield chunk;
  }
}
