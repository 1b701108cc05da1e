import { createServer } from "node:http";
import { type LocalServer, listen } from "../listen";
import type { S3Credentials } from "./authentication";
import type { OnStored } from "./bucket";
import { type ClockOffset, clockWith, type Intercept } from "./injected-fault";
import { handle } from "./server";
import { ObjectStorage } from "./storage";

export type { OnStored, StoredVersion } from "./bucket";
export { ceph16, type IgnoredFeatures } from "./ignored-headers";
export type { Intercept, StoreFault } from "./injected-fault";
export { ensureBucket } from "./storage";

export interface ObjectStoreOptions extends S3Credentials {
  /** 0 for any free port */
  port: number;
  /** created when missing; only one store may use it at a time */
  dataDir: string;
  /** gets one line for each request, without its query and headers, so that no signature is logged */
  log?: (line: string) => void;
  /** called when a version has been stored by an upload or a copy, as S3 notifies of it */
  onStored?: OnStored;
  /** for tests: the fault to inject into a request */
  intercept?: Intercept;
  /** for tests: how far the store's clock is off, in its `Date` header and when it checks a signature's time */
  clockOffsetMs?: ClockOffset;
}

export interface ObjectStoreServer extends LocalServer {
  /** Makes the versions of an object look older. `times` are their Unix times in milliseconds, newest first. */
  setTimes(bucket: string, key: string, times: readonly number[]): void;
}

export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStoreServer> {
  const storage = new ObjectStorage(options.dataDir, options.onStored);
  const serverOptions = { ...options, now: clockWith(options.clockOffsetMs) };
  // An upload may take any time.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 });
  server.on("request", (raw, response) => handle(raw, response, storage, serverOptions));
  server.on("checkContinue", (raw, response) => handle(raw, response, storage, serverOptions));
  return {
    ...(await listen(server, options.port)),
    setTimes: (bucket, key, times) => storage.get(bucket).setTimes(key, times),
  };
}
