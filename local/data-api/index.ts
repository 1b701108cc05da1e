/** An RDS Data API over the local PostgreSQL. It supports only ExecuteStatement. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type InjectedFault, injectFault } from "../fault-injection";
import { type LocalServer, listen } from "../listen";
import type { Credentials } from "../sigv4";
import { DataApiError, type DataApiErrorType } from "./errors";
import { authenticate } from "./signature";
import { executeStatement, type StatementOptions } from "./statements";

export interface DataApiFault extends InjectedFault<{ type: DataApiErrorType; message?: string }> {
  /** `after`: run the statement, and then lose its response; `before` by default */
  when?: "before" | "after";
}

export interface DataApiOptions extends Credentials, StatementOptions {
  /** 0 for any free port */
  port: number;
  /** for tests: the fault to inject into a statement whose signature is valid */
  intercept?:
    | ((request: {
        body: Record<string, unknown>;
      }) => DataApiFault | undefined | Promise<DataApiFault | undefined>)
    | undefined;
}

export function startDataApi(options: DataApiOptions): Promise<LocalServer> {
  const server = createServer((request, response) => {
    perform(request, options)
      .then((reply) => send(response, 200, reply))
      .catch((error: unknown) => request.socket.destroyed || sendError(response, error));
  });
  return listen(server, options.port);
}

/** Resolves to the body of the response. Rejects with a DataApiError, or when the connection is closed. */
async function perform(request: IncomingMessage, options: DataApiOptions): Promise<object> {
  const bytes = await buffer(request);
  if (request.method !== "POST" || request.url !== "/Execute") {
    throw new DataApiError("BadRequestException", `There is no ${request.method} ${request.url} here.`);
  }
  authenticate(request, bytes, options);
  const body = parseObject(bytes);
  const fault = (await options.intercept?.({ body })) ?? {};
  if (fault.when !== "after") await applyFault(fault, request);
  const result = await executeStatement(body, options);
  if (fault.when === "after") await applyFault(fault, request);
  return result;
}

/** @throws DataApiError the injected error */
async function applyFault(fault: DataApiFault, request: IncomingMessage): Promise<void> {
  await injectFault(fault, request);
  const { error } = fault;
  if (error) throw new DataApiError(error.type, error.message ?? `${error.type}, injected by a test`);
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(bytes.toString("utf8"));
    if (typeof body === "object" && body !== null) return { ...body };
  } catch {
    // Handled below.
  }
  throw new DataApiError("BadRequestException", "The body is not a JSON object.");
}

function sendError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof DataApiError
      ? error
      : new DataApiError("InternalServerErrorException", "The local Data API failed.");
  if (known !== error) console.error("The local Data API failed.", error);
  response.setHeader("x-amzn-errortype", known.type);
  send(response, known.status, { message: known.message });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
