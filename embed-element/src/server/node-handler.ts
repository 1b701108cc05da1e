import type { EmbedHandler } from "./embed-handler.js";

/** The members used of Node's `IncomingMessage`, and of the requests of Express and Fastify. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string;
  url?: string;
  headers: Record<string, string | string[] | undefined>;
  /** true if a body parser has read the body; its result is in `body` */
  readableEnded?: boolean;
  body?: unknown;
}

/** The members used of Node's `ServerResponse`. */
export interface NodeResponse {
  headersSent: boolean;
  writableEnded: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
  once(event: "close", listener: () => void): unknown;
}

export type NodeHandler<Incoming extends NodeRequest = NodeRequest> = (
  request: Incoming,
  response: NodeResponse,
) => Promise<void>;

/** The maximum length of a body, characters. The element sends its scope and two words. */
const MAX_BODY_LENGTH = 64 * 1024;

/**
 * Adapts an embed or webhook handler to Node's HTTP server and to frameworks that expose its request and response: Express, Fastify
 * (`request.raw`, `reply.raw` after `reply.hijack()`), Koa, Connect. The handler's context is Node's request, including what
 * middleware has added to it. Never rejects, so it cannot crash the process.
 */
export function toNodeHandler<Incoming extends NodeRequest>(
  handler: EmbedHandler<Incoming>,
): NodeHandler<Incoming> {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once("close", () => gone.abort());
    let status = 400;
    let headers: Record<string, string> = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    let body = '{"error":"The request could not be read.","code":"invalid_request"}';
    try {
      const response = await handler(await toRequest(incoming, gone.signal), incoming);
      status = response.status;
      headers = Object.fromEntries(response.headers);
      body = await response.text();
    } catch {
      // The visitor has disconnected, or the request is too large or malformed.
    }
    if (outgoing.headersSent || outgoing.writableEnded) return;
    outgoing.writeHead(status, headers);
    outgoing.end(body);
  };
}

async function toRequest(incoming: NodeRequest, signal: AbortSignal): Promise<Request> {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    // Skip the pseudo-headers of HTTP/2.
    if (value !== undefined && !name.startsWith(":")) headers.set(name, [value].flat().join(", "));
  }
  const target = new URL(url.startsWith("/") ? `http://node.invalid${url}` : url);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(target, { method, headers, signal, body: hasBody ? await readBody(incoming) : null });
}

/** @throws Error when the body is too long or incomplete */
async function readBody(incoming: NodeRequest): Promise<string> {
  const { body } = incoming;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body !== undefined) return JSON.stringify(body);
  if (incoming.readableEnded) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of incoming) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BODY_LENGTH) throw new Error("The body is too long.");
  }
  return text + decoder.decode();
}
