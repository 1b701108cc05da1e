import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface LocalServer {
  /** `http://127.0.0.1:port` */
  endpoint: string;
  /** Stops listening, and ends the connections that are open. */
  close(): Promise<void>;
}

/** Has the server listen on this machine only; 0 is any free port. Rejects with the error (`EADDRINUSE`) when it is taken. */
export async function listen(server: Server, port: number): Promise<LocalServer> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
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
