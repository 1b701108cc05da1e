/** A proxy between an integrator's backend and the platform. It records the requests and can replace responses. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Recorded {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

export interface RecordingPlatform {
  url: string;
  received: Recorded[];
  /** replaces the platform's response; `silent` never responds, `broken` ends within the body */
  says: Answer | "silent" | "broken" | undefined;
  close(): Promise<void>;
}

/** @param apiBaseUrl the real platform's URL */
export async function startRecordingPlatform(apiBaseUrl: string): Promise<RecordingPlatform> {
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    platform.received.push({ method, path, headers, body: JSON.parse(body) });
    if (platform.says === "silent") return;
    if (platform.says === "broken") {
      response.writeHead(200, { "Content-Length": "1000", Connection: "close" }).end('{"url":');
      return;
    }
    if (platform.says) return respond(response, platform.says);
    const { "content-type": type = "", "x-api-key": key = "" } = headers;
    const real = await fetch(apiBaseUrl + path, {
      method,
      headers: { "Content-Type": type, "X-Api-Key": String(key) },
      body,
    });
    const { status } = real;
    const id = real.headers.get("X-Request-Id") ?? "";
    respond(response, { status, headers: { "X-Request-Id": id }, body: await real.text() });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const platform: RecordingPlatform = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    says: undefined,
    async close() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
  return platform;
}

function respond(response: ServerResponse, { status, headers, body = "" }: Answer): void {
  response.writeHead(status, { "X-Request-Id": "request-1", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
