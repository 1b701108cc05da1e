import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../app/shared/error-text";
import { injectFault } from "../fault-injection";
import { type LocalServer, listen } from "../listen";
import { authenticate, type S3Credentials } from "./authentication";
import { RequestBody } from "./body";
import type { OnStored } from "./bucket";
import { corsHeaders, preflightReply } from "./cors";
import { S3Error } from "./errors";
import { withoutIgnored } from "./ignored-headers";
import { type Intercept, impairResponseBody, type StoreFault } from "./injected-fault";
import { errorReply, type Headers, type Reply } from "./operation";
import { readRequest, type S3Request } from "./request";
import { findOperation } from "./routes";
import { ObjectStorage } from "./storage";

export type { StoredVersion } from "./bucket";
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
  clockOffsetMs?: () => number;
}

export interface ObjectStoreServer extends LocalServer {
  /** Makes the versions of an object look older. `times` are their Unix times in milliseconds, newest first. */
  setTimes(bucket: string, key: string, times: readonly number[]): void;
}

export async function startObjectStore(options: ObjectStoreOptions): Promise<ObjectStoreServer> {
  const storage = new ObjectStorage(options.dataDir, options.onStored);
  // An upload may take any time.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 65_000 });
  server.on("request", (raw, response) => handle(raw, response, storage, options));
  server.on("checkContinue", (raw, response) => handle(raw, response, storage, options));
  return {
    ...(await listen(server, options.port)),
    setTimes: (bucket, key, times) => storage.get(bucket).setTimes(key, times),
  };
}

/** Responds to one request. Never rejects. */
async function handle(
  raw: IncomingMessage,
  response: ServerResponse,
  storage: ObjectStorage,
  options: ObjectStoreOptions,
): Promise<void> {
  const startedAt = performance.now();
  const line = `${raw.method} ${pathOf(raw)}`;
  try {
    const status = await respond(raw, response, storage, options);
    options.log?.(`${line} ${status} ${Math.round(performance.now() - startedAt)} ms`);
  } catch (error) {
    options.log?.(`${line} broken off: ${messageOf(error)}`);
    raw.socket.destroy();
  }
}

/** Resolves to the status that was sent. Rejects when the connection was closed, or the response could not be written. */
async function respond(
  raw: IncomingMessage,
  response: ServerResponse,
  storage: ObjectStorage,
  options: ObjectStoreOptions,
): Promise<number> {
  const path = pathOf(raw);
  const requestId = randomBytes(8).toString("hex").toUpperCase();
  let cors: Headers = {};
  let fault: StoreFault = {};
  let reply: Reply;
  try {
    const request = readRequest(raw);
    cors = corsHeaders(request, storage.find(request.bucket)?.settings.cors ?? []);
    fault = (await options.intercept?.({ ...request, headers: raw.headers })) ?? {};
    await injectFault(fault, raw);
    reply = fault.error
      ? errorReply({ message: fault.error.code, ...fault.error }, path, requestId)
      : await perform(request, response, storage, options, fault);
    if (fault.loseResponse) {
      raw.socket.destroy();
      throw new Error("the response is lost");
    }
  } catch (error) {
    if (raw.socket.destroyed) throw error;
    if (!(error instanceof S3Error)) options.log?.(`unexpected: ${String(error)}`);
    reply = errorReply(asS3Error(error), path, requestId);
  }
  response.writeHead(reply.status, {
    ...withoutCors({ ...reply.headers, ...cors }, fault),
    ...(typeof reply.body === "string" && { "content-length": Buffer.byteLength(reply.body) }),
    // A client that got no "100 Continue" may or may not send the body.
    ...(raw.headers.expect !== undefined && !raw.complete && { connection: "close" }),
    "x-amz-request-id": requestId,
    "x-amz-id-2": requestId,
    date: new Date(clock(options)).toUTCString(),
    server: "object-store",
  });
  // Read the rest of a refused upload: many clients read the response only after they have sent everything.
  raw.resume();
  if (reply.body instanceof Readable) await pipeline(impairResponseBody(reply.body, fault), response);
  else response.end(reply.body);
  return reply.status;
}

/** The store's clock, Unix milliseconds. */
const clock = ({ clockOffsetMs = () => 0 }: ObjectStoreOptions) => Date.now() + clockOffsetMs();

/** Without the query, which holds the signature of a presigned URL. */
function pathOf(raw: IncomingMessage): string {
  return raw.url?.split("?", 1)[0] ?? "";
}

function withoutCors(headers: Headers, fault: StoreFault): Headers {
  if (!fault.withoutCors) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}

async function perform(
  received: S3Request,
  response: ServerResponse,
  storage: ObjectStorage,
  options: ObjectStoreOptions,
  fault: StoreFault,
): Promise<Reply> {
  // Browsers do not sign preflights.
  if (received.method === "OPTIONS") {
    return preflightReply(received, storage.find(received.bucket)?.settings.cors ?? []);
  }
  const payloadHash = authenticate(received, options, clock(options));
  const request = fault.ignores ? withoutIgnored(received, fault.ignores) : received;
  const begin = () => {
    if (request.header("expect") !== undefined) response.writeContinue();
  };
  const body = new RequestBody(request, payloadHash, begin, fault);
  return findOperation(request)({ request, body, storage, region: options.region });
}

function asS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  return new S3Error("InternalError", "We encountered an internal error. Please try again.");
}
