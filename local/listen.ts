import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  /** `http://127.0.0.1:port` */
  endpoint: string;
  /** Stops listening, and closes all connections. */
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. Port 0 is any free port. Rejects with EADDRINUSE when the port is taken. */
export async function listen(server: Server, port: number): Promise<LocalServer> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  // From now on an error is about one connection.
  server.on("error", (error) => console.error("A connection could not be accepted.", error));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server),
  };
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
