import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { InjectedFault } from "../fault-injection";

/**
 * What else can go wrong with a request to the store. A preflight is a request with the method OPTIONS: to refuse it, inject
 * an `error` (`{ status: 503, code: "SlowDown" }`); to make it one that allows nothing, `withoutCors`.
 */
export interface StoreFault extends InjectedFault<{ status: number; code: string; message?: string }> {
  /** let no more than so many bytes a second of the body in */
  bytesPerSecond?: number;
  /** close the connection once so many bytes of the body (more than 0, as it goes over the wire) have arrived */
  resetAfterBytes?: number;
  /** do what the request asks for, and close the connection without a response */
  loseResponse?: true;
  /** let no more than so many bytes a second of the response's body out */
  sentBytesPerSecond?: number;
  /** close the connection once so many bytes of the response's body have been sent */
  resetAfterSentBytes?: number;
  /** leave every `Access-Control-*` header out of the response, an injected error's included */
  withoutCors?: true;
}

/** Asked once for each request, before its signature is looked at; undefined lets it pass untouched, a promise once it is kept. */
export type Intercept = (request: {
  method: string;
  bucket: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}) => StoreFault | undefined | Promise<StoreFault | undefined>;

/** How far the store's clock is off, in milliseconds: one figure, or a function that is asked each time. */
export type ClockOffset = number | (() => number);

/** The store's clock, in Unix milliseconds. */
export function clockWith(offsetMs: ClockOffset = 0): () => number {
  return () => Date.now() + (typeof offsetMs === "function" ? offsetMs() : offsetMs);
}

/** The body as the fault lets it in. */
export async function* impair(raw: IncomingMessage, fault: StoreFault): AsyncGenerator<Buffer> {
  const { bytesPerSecond, resetAfterBytes = Number.POSITIVE_INFINITY } = fault;
  let received = 0;
  // The iterator, not the stream: a pipeline would destroy the stream on an error, and with it the way to respond.
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

/** The body of a response as the fault lets it out. */
export function impairSent(body: Readable, fault: StoreFault): AsyncIterable<Buffer> {
  const { sentBytesPerSecond, resetAfterSentBytes } = fault;
  const isUntouched = sentBytesPerSecond === undefined && resetAfterSentBytes === undefined;
  return isUntouched ? body : impaired(body, sentBytesPerSecond, resetAfterSentBytes);
}

async function* impaired(
  body: AsyncIterable<Buffer>,
  bytesPerSecond = Number.POSITIVE_INFINITY,
  resetAfter = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const chunk of body) {
    await setTimeout((chunk.length / bytesPerSecond) * 1000);
    const end = sent + chunk.length;
    yield chunk.subarray(0, Math.max(resetAfter - sent, 0));
    sent = end;
    if (end < resetAfter) continue;
    // What has been written is on its way by then; closing at once could take it back.
    await setTimeout(20);
    throw new Error("the connection is closed");
  }
}
