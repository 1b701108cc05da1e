import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { InjectedFault } from "../fault-injection";
import type { IgnoredFeatures } from "./ignored-headers";

/**
 * What a test can make go wrong with one request. A preflight is a request with the method OPTIONS: `error` refuses it,
 * and `withoutCors` makes it allow nothing.
 */
export interface StoreFault extends InjectedFault<{ status: number; code: string; message?: string }> {
  /** treat the request as a store that ignores these features */
  ignores?: IgnoredFeatures;
  /** receive the body at no more than this rate */
  bytesPerSecond?: number;
  /** close the connection once this many bytes of the body (more than 0, as sent over the network) have arrived */
  resetAfterBytes?: number;
  /** do what the request asks for, and close the connection without a response */
  loseResponse?: true;
  /** send the body of the response at no more than this rate */
  sentBytesPerSecond?: number;
  /** close the connection once this many bytes of the response's body have been sent */
  resetAfterSentBytes?: number;
  /** leave every `Access-Control-*` header out of the response, even if it is an error */
  withoutCors?: true;
}

/** Called once for each request, before its signature is checked; undefined injects no fault. */
export type Intercept = (request: {
  method: string;
  bucket: string;
  key: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}) => StoreFault | undefined | Promise<StoreFault | undefined>;

export async function* impairRequestBody(raw: IncomingMessage, fault: StoreFault): AsyncGenerator<Buffer> {
  const { bytesPerSecond, resetAfterBytes = Number.POSITIVE_INFINITY } = fault;
  let received = 0;
  // Not the stream itself: a pipeline would destroy it on an error, and no response could be sent.
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

export function impairResponseBody(body: Readable, fault: StoreFault): AsyncIterable<Buffer> {
  const { sentBytesPerSecond, resetAfterSentBytes } = fault;
  if (sentBytesPerSecond === undefined && resetAfterSentBytes === undefined) return body;
  return impaired(body, sentBytesPerSecond, resetAfterSentBytes);
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
    // Closing the connection at once could discard bytes that have been written but not sent.
    await setTimeout(20);
    throw new Error("the connection is closed");
  }
}
