/** An RDS Data API over the local PostgreSQL: what `@aws-sdk/client-rds-data` sends, and the responses it expects. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type InjectedFault, injectFault } from "../fault-injection";
import type { Credentials } from "../sigv4";
import { DataApiError, type DataApiErrorType } from "./errors";
import { authenticate } from "./signature";
import { Statements, type StatementsOptions } from "./statements";

export interface DataApiFault extends InjectedFault<{ type: DataApiErrorType; message?: string }> {
  /** whether the statement runs first: `after` loses a response, not the work; `before` unless told */
  when?: "before" | "after";
}

export interface DataApiOptions extends Credentials, StatementsOptions {
  /** 0 for any free one */
  port: number;
  /** for tests: asked once for each request that is signed right; `operation` is like `Execute` */
  intercept?: (request: { operation: string; body: Record<string, unknown> }) => DataApiFault | undefined;
}

export interface DataApi {
  /** `http://127.0.0.1:port` */
  endpoint: string;
  close(): Promise<void>;
}

export async function startDataApi(options: DataApiOptions): Promise<DataApi> {
  const statements = new Statements(options);
  const server = createServer((request, response) => {
    perform(request, statements, options)
      .then((reply) => send(response, 200, reply))
      .catch((error: unknown) => request.socket.destroyed || sendError(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await statements.close();
    },
  };
}

/** The body of the response. Rejects with a DataApiError, and when the connection is closed. */
async function perform(
  request: IncomingMessage,
  statements: Statements,
  options: DataApiOptions,
): Promise<object> {
  const bytes = await buffer(request);
  const path = request.url ?? "";
  const operation = Object.hasOwn(statements.operations, path) ? statements.operations[path] : undefined;
  if (request.method !== "POST" || !operation) {
    throw new DataApiError("BadRequestException", `There is no ${request.method} ${path} here.`);
  }
  await authenticate(request, bytes, options);
  const body = parseObject(bytes);
  const fault = options.intercept?.({ operation: path.slice(1), body }) ?? {};
  if (fault.when === "after") {
    const result = await operation(body);
    await applyFault(fault, request);
    return result;
  }
  await applyFault(fault, request);
  return operation(body);
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
  send(response, known.status, { message: known.message, ...known.members });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
