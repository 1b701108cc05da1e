/** Faults that tests inject into the local servers, to see how others cope with them. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";

/** What goes wrong with one request. Applied in the order of its members. `Refusal`: an error as that server responds with it. */
export interface InjectedFault<Refusal> {
  /** wait so long, in milliseconds, before anything else */
  delayMs?: number;
  /** take the request and never respond; ends when the client goes away, or the server is closed */
  hang?: true;
  /** close the connection without a response */
  reset?: boolean;
  /** respond with this, whatever the request asks for */
  error?: Refusal;
}

/** Injects all but `error`. Rejects when the connection is closed by the fault, or meanwhile. */
export async function injectFault(fault: InjectedFault<unknown>, request: IncomingMessage): Promise<void> {
  if (fault.delayMs !== undefined) await setTimeout(fault.delayMs);
  if (fault.hang && !request.socket.destroyed) await once(request.socket, "close");
  if (fault.reset) request.socket.destroy();
  if (request.socket.destroyed) throw new Error("the connection is closed");
}
