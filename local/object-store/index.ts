import { createServer } from "node:http";
import type { S3Credentials } from "./authenticate";
import { type ClockOffset, clockWith, type Intercept } from "./injected-fault";
import { serve } from "./serve";
import { ObjectStorage } from "./storage";

export type { ClockOffset, Intercept, StoreFault } from "./injected-fault";
export { ensureBucket } from "./storage";

export interface ObjectStoreOptions extends S3Credentials {
  host: string;
  /** 0 for any free one */
  port: number;
  /** host names whose subdomains are buckets: with `localhost`, `http://photos.localhost:9000/` is the bucket `photos` */
  virtualHosts?: string[];
  /** made when missing; one store at a time may use it */
  dataDir: string;
  /** gets one line for each request, without its query and headers: no signature is in it */
  log?: (line: string) => void;
  /** for tests: what shall go wrong with a request, if anything */
  intercept?: Intercept;
  /** for tests: how far its clock is off, in its `Date` header and in what it makes of a signature's time */
  clockOffsetMs?: ClockOffset;
}

export interface ObjectStore {
  /** `http://host:port` */
  endpoint: string;
  close(): Promise<void>;
}

/** Starts the store. Rejects with the listening error (`EADDRINUSE`) when the port is taken. */
export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStore> {
  const storage = new ObjectStorage(options.dataDir);
  const settings = { ...options, now: clockWith(options.clockOffsetMs) };
  // An upload may take as long as it takes.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 });
  server.on("request", (raw, response) => serve(raw, response, storage, settings));
  server.on("checkContinue", (raw, response) => serve(raw, response, storage, settings));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  return {
    endpoint: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
