/** An RDS Data API over the local PostgreSQL, as far as `ExecuteStatement` of `@aws-sdk/client-rds-data` goes. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type InjectedFault, injectFault } from "../fault-injection";
import { type LocalServer, listen } from "../listen";
import type { Credentials } from "../sigv4";
import { DataApiError, type DataApiErrorType } from "./errors";
import { authenticate } from "./signature";
import { executeStatement, type StatementOptions } from "./statements";

export interface DataApiFault extends InjectedFault<{ type: DataApiErrorType; message?: string }> {
  /** whether the statement runs first: `after` loses a response, not the work; `before` unless told */
  when?: "before" | "after";
}

export interface DataApiOptions extends Credentials, StatementOptions {
  /** 0 for any free one */
  port: number;
  /** for tests: asked once for each statement that is signed right */
  intercept?: (request: { body: Record<string, unknown> }) => DataApiFault | undefined;
}

export function startDataApi(options: DataApiOptions): Promise<LocalServer> {
  const server = createServer((request, response) => {
    perform(request, options)
      .then((reply) => send(response, 200, reply))
      .catch((error: unknown) => request.socket.destroyed || sendError(response, error));
  });
  return listen(server, options.port);
}

/** The body of the response. Rejects with a DataApiError, and when the connection is closed. */
async function perform(request: IncomingMessage, options: DataApiOptions): Promise<object> {
  const bytes = await buffer(request);
  if (request.method !== "POST" || request.url !== "/Execute") {
    throw new DataApiError("BadRequestException", `There is no ${request.method} ${request.url} here.`);
  }
  await authenticate(request, bytes, options);
  const body = parseObject(bytes);
  const fault = options.intercept?.({ body }) ?? {};
  if (fault.when !== "after") await applyFault(fault, request);
  const result = await executeStatement(body, options);
  if (fault.when === "after") await applyFault(fault, request);
  return result;
}

/** @throws DataApiError the fault's */
async function applyFault(fault: DataApiFault, request: IncomingMessage): Promise<void> {
  await injectFault(fault, request);
  const { error } = fault;
  if (error) throw new DataApiError(error.type, error.message ?? `${error.type}, as a test asked for`);
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof body === "object" && body !== null) return { ...body };
  } catch {
    // refused below
  }
  throw new DataApiError("BadRequestException", "The body is not a JSON object.");
}

function sendError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof DataApiError
      ? error
      : new DataApiError("InternalServerErrorException", "An error of the local Data API.");
  if (known !== error) console.error("The local Data API failed.", error);
  response.setHeader("x-amzn-errortype", known.type);
  send(response, known.status, { message: known.message });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
