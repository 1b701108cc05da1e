/** A proxy between a browser and the object store that injects network faults. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * - `busy`: the store responds with 503.
 * - `busy, wait`: the same, with a Retry-After header. Stores send both.
 * - `reset`: the connection breaks in the middle of the request.
 * - `stall`: the proxy silently stops reading.
 * - `lost`: the store handles the request, but its response does not arrive.
 * - `flipped`: one bit of the body arrives differently.
 */
export type NetworkFault = "busy" | "busy, wait" | "reset" | "stall" | "lost" | "flipped";

export interface BadNetwork {
  endpoint: string;
  /** returns the fault for a PUT request; null: none */
  fault: (request: IncomingMessage) => NetworkFault | null;
  /** blocks all traffic */
  isDown: boolean;
  /** bytes of files that have arrived */
  received: number;
  /** number of injected faults of each kind */
  happened: Record<NetworkFault, number>;
  close(): Promise<void>;
}

/** @param target the store's address. Signatures stay valid, because they are made for the proxy's host. */
export async function startBadNetwork(target: string): Promise<BadNetwork> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    if (network.isDown) return void incoming.socket.destroy();
    const fault = incoming.method === "PUT" ? network.fault(incoming) : null;
    if (fault !== null) network.happened[fault]++;
    if (fault === "busy" || fault === "busy, wait") return refuse(incoming, outgoing, fault);
    if (fault === "stall") return void incoming.pause();
    if (incoming.method === "PUT")
      incoming.on("data", ({ length }) => {
        network.received += length;
      });
    if (fault === "reset") return void incoming.once("data", () => incoming.socket.destroy());
    const { method, url: path, headers } = incoming;
    const forwarded = send({ hostname, port, method, path, headers, agent: false }, (response) => {
      if (fault === "lost") {
        response.resume();
        response.once("end", () => incoming.socket.destroy());
        return;
      }
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on("error", () => incoming.socket.destroy());
    incoming.on("close", () => incoming.complete || forwarded.destroy());
    if (fault === "flipped") {
      incoming.once("data", (first: Buffer) => {
        const middle = Math.floor(first.length / 2);
        first[middle] = (first[middle] ?? 0) ^ 1;
        forwarded.write(first);
        incoming.pipe(forwarded);
      });
    } else {
      incoming.pipe(forwarded);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const network: BadNetwork = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: () => null,
    isDown: false,
    received: 0,
    happened: { busy: 0, "busy, wait": 0, reset: 0, stall: 0, lost: 0, flipped: 0 },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}

/** Responds as S3 does to too many requests. */
function refuse(incoming: IncomingMessage, outgoing: ServerResponse, fault: "busy" | "busy, wait"): void {
  incoming.resume();
  const { origin = "*" } = incoming.headers;
  const headers = { "Access-Control-Allow-Origin": origin, "Content-Type": "application/xml" };
  outgoing.writeHead(503, { ...headers, ...(fault === "busy, wait" && { "Retry-After": "1" }) });
  outgoing.end("<Error><Code>SlowDown</Code></Error>");
}
