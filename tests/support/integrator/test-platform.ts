import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A stand-in for the platform's API: records requests, and responds as a test says. */
export interface TestPlatform {
  apiBaseUrl: string;
  received: { path: string; headers: IncomingHttpHeaders; body: unknown }[];
  /** the response to every request; `silent` never responds */
  responds: { status: number; body: unknown; headers?: Record<string, string> } | "silent";
  close(): Promise<void>;
}

export const ISSUED = {
  url: "https://embed.example/embed/files?t=a.b",
  expiresAt: 1_800_000_000,
  service: "files",
};
export const API_KEY = "pek_notARealKeyButOneThatMustNeverBeSeen";

/** Starts it on a free port, so that requests are real HTTP. */
export async function startTestPlatform(): Promise<TestPlatform> {
  const platform: TestPlatform = {
    apiBaseUrl: "",
    received: [],
    responds: { status: 200, body: ISSUED },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    platform.received.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(body) });
    if (platform.responds === "silent") return;
    const { status, body: answer, headers } = platform.responds;
    response.writeHead(status, { "X-Request-Id": "request-1", ...headers });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  platform.apiBaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return platform;
}
