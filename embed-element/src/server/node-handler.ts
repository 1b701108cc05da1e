import type { EmbedHandler } from "./embed-handler";

/** What we use of Node's `IncomingMessage`, and of those that Express and Fastify make of it. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string;
  url?: string;
  headers: Record<string, string | string[] | undefined>;
  /** everything has been read: by a body parser, which leaves the outcome in `body` */
  readableEnded?: boolean;
  body?: unknown;
}

/** What we use of Node's `ServerResponse`. */
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

/** The most that a body may have, characters: the element sends its scope and two words. */
const MOST_BODY = 64 * 1024;

/**
 * An embed handler for Node's own server, and for frameworks that hand its request and response on: Express, Fastify (`request.raw`,
 * `reply.raw` after `reply.hijack()`), Koa, Connect. The handler's context is Node's request, with whatever middleware put there.
 * Never rejects, so it cannot end a process.
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
      // The visitor has gone, or sent too much or nonsense.
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
    // HTTP/2 has names of its own that begin with a colon.
    if (value !== undefined && !name.startsWith(":")) headers.set(name, [value].flat().join(", "));
  }
  const address = new URL(url.startsWith("/") ? `http://node.invalid${url}` : url);
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(address, { method, headers, signal, body: hasBody ? await readBody(incoming) : null });
}

/** @throws Error when it is too long, or breaks off */
async function readBody(incoming: NodeRequest): Promise<string> {
  if (incoming.body !== undefined) return JSON.stringify(incoming.body);
  if (incoming.readableEnded) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of incoming) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BODY) throw new Error("The body is too long.");
  }
  return text + decoder.decode();
}
