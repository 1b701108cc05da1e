import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../app/error-text";
import { injectFault } from "../fault-injection";
import { authenticate, type S3Credentials } from "./authenticate";
import { RequestBody } from "./body";
import { corsHeaders, respondToPreflight } from "./cors";
import { S3Error } from "./errors";
import { refuseUnknownFeatures } from "./features";
import { type Intercept, impairSent, type StoreFault } from "./injected-fault";
import { findOperation } from "./operations";
import { errorReply, type Reply, type ReplyHeaders } from "./reply";
import { readRequest, type S3Request } from "./request";
import type { ObjectStorage } from "./storage";

interface Settings extends S3Credentials {
  log?: (line: string) => void;
  intercept?: Intercept;
  virtualHosts?: string[];
  /** Unix milliseconds */
  now: () => number;
}

/** Responds to one request, whatever it is. */
export async function serve(
  raw: IncomingMessage,
  response: ServerResponse,
  storage: ObjectStorage,
  settings: Settings,
): Promise<void> {
  const startedAt = performance.now();
  const line = `${raw.method} ${pathOf(raw)}`;
  try {
    const status = await respond(raw, response, storage, settings);
    settings.log?.(`${line} ${status} ${Math.round(performance.now() - startedAt)} ms`);
  } catch (error) {
    settings.log?.(`${line} broken off: ${messageOf(error)}`);
    raw.socket.destroy();
  }
}

/** Resolves to the status that was sent; rejects when the connection went away, or a response cannot be written. */
async function respond(
  raw: IncomingMessage,
  response: ServerResponse,
  storage: ObjectStorage,
  settings: Settings,
): Promise<number> {
  const path = pathOf(raw);
  const requestId = randomBytes(8).toString("hex").toUpperCase();
  let cors: ReplyHeaders = {};
  let fault: StoreFault = {};
  let reply: Reply;
  try {
    const request = readRequest(raw, settings.virtualHosts);
    cors = corsHeaders(request, storage.find(request.bucket)?.settings.cors ?? []);
    fault = (await settings.intercept?.({ ...request, headers: raw.headers })) ?? {};
    await injectFault(fault, raw);
    reply = fault.error
      ? errorReply({ message: fault.error.code, ...fault.error }, path, requestId)
      : await perform(request, response, storage, settings, fault);
    if (fault.loseResponse) {
      raw.socket.destroy();
      throw new Error("the response is lost");
    }
  } catch (error) {
    if (raw.socket.destroyed) throw error;
    if (!(error instanceof S3Error)) settings.log?.(`unexpected: ${String(error)}`);
    reply = errorReply(refusalOf(error), path, requestId);
  }
  response.writeHead(reply.status, {
    ...withCors({ ...reply.headers, ...cors }, fault),
    ...(typeof reply.body === "string" && { "content-length": Buffer.byteLength(reply.body) }),
    // A sender that waits for leave to go on, and did not get it, may or may not send the body after all.
    ...(raw.headers.expect !== undefined && !raw.complete && { connection: "close" }),
    "x-amz-request-id": requestId,
    "x-amz-id-2": requestId,
    date: new Date(settings.now()).toUTCString(),
    server: "object-store",
  });
  // What is left of an upload that was refused is read away, so that its sender gets to the response.
  raw.resume();
  if (reply.body instanceof Readable) await pipeline(impairSent(reply.body, fault), response);
  else response.end(reply.body);
  return reply.status;
}

/** Without the query, which holds the signature. */
function pathOf(raw: IncomingMessage): string {
  return raw.url?.split("?", 1)[0] ?? "";
}

function withCors(headers: ReplyHeaders, fault: StoreFault): ReplyHeaders {
  if (!fault.withoutCors) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("access-control-")));
}

async function perform(
  request: S3Request,
  response: ServerResponse,
  storage: ObjectStorage,
  settings: Settings,
  fault: StoreFault,
): Promise<Reply> {
  // A browser cannot sign its preflight.
  if (request.method === "OPTIONS") {
    return respondToPreflight(request, storage.find(request.bucket)?.settings.cors ?? []);
  }
  const payload = await authenticate(request, settings, settings.now);
  const begin = () => {
    if (request.header("expect") !== undefined) response.writeContinue();
  };
  const body = new RequestBody(request, payload, begin, fault);
  const operation = findOperation(request);
  refuseUnknownFeatures(request);
  return operation({ request, body, storage, region: settings.region });
}

function refusalOf(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  return new S3Error("InternalError", "We encountered an internal error. Please try again.");
}
