import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { StackInfo } from "../../local/stack-info";
import { makeBucket, type TestBucket } from "../support/bucket";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/embed-client";

/** An integrator with an origin, a backend, an API key and a bucket of its own, so that tests do not meet. */
export interface Integrator {
  origin: string;
  bucket: TestBucket;
  client: TestEmbedClient;
  /** what its pages are; the path `/` holds the tag */
  pages: Map<string, string>;
  /** what its backend asks for; a test may change it at any time */
  asks: { scope?: object; expiresInSeconds?: number };
  /** how often its backend has been asked for a URL */
  urlsIssued: number;
  /** answers in the backend's place, as long as it is set */
  intercept: ((response: ServerResponse) => void | Promise<void>) | null;
  /** an embed URL as its backend would get it */
  issue(): Promise<{ url: string; expiresAt: number; token: string }>;
  close(): Promise<void>;
}

const FULL_PAGE =
  "body { margin: 0 } platform-embed, iframe { display: block; width: 100%; height: 100vh; border: 0 }";

/** A page that holds `body` and the element's script; unless `style` says otherwise, the embed takes all of it. */
export function pageWith(stack: StackInfo, body: string, style = FULL_PAGE): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Integrator</title>
    <link rel="icon" href="data:," />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style>${style}</style>
    <script src="${stack.platformBaseUrl}/platform-embed.js" defer></script>
  </head>
  <body>${body}</body>
</html>`;
}

export const EMBED_TAG = `<platform-embed service="files" token-endpoint="/embed-url"></platform-embed>`;

export async function startIntegrator(stack: StackInfo): Promise<Integrator> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://integrator").pathname;
    const page = integrator.pages.get(path);
    if (request.method === "GET" && page !== undefined) {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    } else if (request.method === "POST" && path === "/embed-url") {
      integrator.urlsIssued += 1;
      if (integrator.intercept) return integrator.intercept(response);
      const { url, expiresAt } = await integrator.issue();
      response.writeHead(200, { "Content-Type": "application/json" });
      response.end(JSON.stringify({ url, expiresAt, service: "files" }));
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const bucket = await makeBucket(stack);
  await bucket.allowOrigins([stack.platformBaseUrl, origin]);
  const client = await makeEmbedClient(stack, { bucket: bucket.name, origins: [origin] });
  const integrator: Integrator = {
    origin,
    bucket,
    client,
    pages: new Map([["/", pageWith(stack, EMBED_TAG)]]),
    asks: {},
    urlsIssued: 0,
    intercept: null,
    issue: () => issueEmbedUrl(stack, client, integrator.asks),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return integrator;
}
