/**
 * The demo integrator: a site of its own origin, with a backend of its own that holds the API key. It uses the public API
 * and the element's script, as any integrator would, and nothing else of this repository.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type LocalServer, listen } from "../listen";
import { renderLayout } from "./layout";
import { asJson, type DemoBackend, type DemoResponse } from "./page";
import { demoPages } from "./pages";

export interface DemoOptions extends DemoBackend {
  port: number;
  platformBaseUrl: string;
  /** stays on this server */
  apiKey: string;
  bucket: string;
  clusterRegion: string;
  mailboxUrl: string;
}

const assets: Record<string, { file: string; type: string }> = {
  "/demo.css": { file: "demo.css", type: "text/css; charset=utf-8" },
  "/databases.js": { file: "databases.js", type: "text/javascript; charset=utf-8" },
  "/demo.js": { file: "demo.js", type: "text/javascript; charset=utf-8" },
  "/emails.css": { file: "emails.css", type: "text/css; charset=utf-8" },
  "/emails.js": { file: "emails.js", type: "text/javascript; charset=utf-8" },
  "/playground.js": { file: "playground.js", type: "text/javascript; charset=utf-8" },
};

export function startDemo(options: DemoOptions): Promise<LocalServer> {
  const server = createServer((request, response) => {
    respond(request, options)
      .catch((error: unknown) => {
        console.error("The demo integrator failed.", error);
        return asJson(500, { error: "The demo's server failed. Its log says why." });
      })
      .then((reply) => send(response, reply));
  });
  return listen(server, options.port);
}

async function respond(request: IncomingMessage, options: DemoOptions): Promise<DemoResponse> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://demo");
  if (request.method === "POST" && pathname === "/embed-url") return issueEmbedUrl(query, options);
  for (const { backend } of demoPages) {
    const handle = backend?.[`${request.method} ${pathname}`];
    if (handle) return handle(options, await text(request));
  }
  if (request.method !== "GET" && request.method !== "HEAD")
    return asJson(405, { error: "Not a method here." });
  const asset = assets[pathname];
  if (asset) {
    return {
      status: 200,
      type: asset.type,
      body: readFileSync(new URL(`assets/${asset.file}`, import.meta.url)),
    };
  }
  const page = demoPages.find(({ path }) => path === pathname);
  if (!page) return asJson(404, { error: "There is no such page." });
  return {
    status: 200,
    type: "text/html; charset=utf-8",
    body: renderLayout(page, demoPages, { ...options, query }),
  };
}

/** Here an integrator makes sure who is logged in; the demo lets everybody in. */
async function issueEmbedUrl(query: URLSearchParams, options: DemoOptions): Promise<DemoResponse> {
  const expires = query.get("expires");
  const response = await fetch(`${options.apiBaseUrl}/api/embed/url`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Api-Key": options.apiKey },
    body: JSON.stringify({
      service: "files",
      scope: { bucket: options.bucket },
      ...(expires && { expiresInSeconds: Number(expires) }),
    }),
  }).catch(() => undefined);
  if (!response) return asJson(502, { error: "The platform cannot be reached." });
  return { status: response.status, type: "application/json", body: await response.text() };
}

function send(response: ServerResponse, { status, type, body }: DemoResponse): void {
  response.writeHead(status, {
    "Content-Type": type,
    "Cache-Control": "no-store",
    // The platform has to see which origin embeds it.
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
