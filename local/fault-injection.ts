/** Faults that tests inject into the local servers, to see how the product copes with them. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

/** The fault to inject into one request; its members apply in this order. `ErrorContent` describes an error response of that server. */
export interface InjectedFault<ErrorContent> {
  /** wait this many milliseconds before anything else */
  delayMs?: number;
  /** never respond; ends when the client closes the connection, or the server is closed */
  hang?: true;
  /** close the connection without a response */
  reset?: boolean;
  /** respond with this error, whatever the request asks for */
  error?: ErrorContent;
}

/** Injects everything but `error`. Rejects when the connection is closed. */
export async function injectFault(fault: InjectedFault<unknown>, request: IncomingMessage): Promise<void> {
  if (fault.delayMs !== undefined) await setTimeout(fault.delayMs);
  if (fault.hang && !request.socket.destroyed) await once(request.socket, "close");
  if (fault.reset) request.socket.destroy();
  if (request.socket.destroyed) throw new Error("the connection is closed");
}
