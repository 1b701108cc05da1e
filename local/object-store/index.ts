import { createServer } from "node:http";
import { type LocalServer, listen } from "../listen";
import type { S3Credentials } from "./authenticate";
import { type ClockOffset, clockWith, type Intercept } from "./injected-fault";
import { serve } from "./serve";
import { ObjectStorage } from "./storage";

export type { Intercept, StoreFault } from "./injected-fault";
export { ensureBucket } from "./storage";

export interface ObjectStoreOptions extends S3Credentials {
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

export function startObjectStore(options: ObjectStoreOptions): Promise<LocalServer> {
  const storage = new ObjectStorage(options.dataDir);
  const settings = { ...options, now: clockWith(options.clockOffsetMs) };
  // An upload may take as long as it takes.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 });
  server.on("request", (raw, response) => serve(raw, response, storage, settings));
  server.on("checkContinue", (raw, response) => serve(raw, response, storage, settings));
  return listen(server, options.port);
}
