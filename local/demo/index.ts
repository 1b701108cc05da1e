/**
 * The demo portal: a site with its own origin, and a backend that holds the API key. Like any integrator, it only uses the
 * public API and the element's script.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
// Integrators import this from `platform-embed-element/server`.
import { createEmbedHandler, type EmbedHandler, toNodeHandler } from "../../embed-element/src/server";
import { type LocalServer, listen } from "../listen";
import { refuseOtherSites } from "../refuse-other-sites";
import { CLEAN, SCAN_TAG } from "../scanner";
import { renderLayout } from "./layout";
import { asJson, type DemoBackend, type DemoResponse } from "./page";
import { demoPages, notFoundPage } from "./pages";
import { actionsOf } from "./pages/files";
import { handInPage, handInScope } from "./pages/hand-in";
import { quotaScope } from "./pages/quota";
import { signedInUser } from "./users";
import { RECEIVER_PATH, WebhookReceiver } from "./webhook-receiver";

export interface DemoOptions extends DemoBackend {
  port: number;
  platformBaseUrl: string;
  /** stays on this server */
  apiKey: string;
  bucket: string;
  clusterRegion: string;
  mailboxUrl: string;
}

export function startDemo(given: Omit<DemoOptions, "webhooks">): Promise<LocalServer> {
  const webhooks = new WebhookReceiver(given);
  const options = { ...given, webhooks };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://demo");
    const endpoint = tokenEndpoints[url.pathname]?.(options, url.searchParams);
    if (endpoint) return toNodeHandler(endpoint)(request, response);
    if (url.pathname === RECEIVER_PATH) return webhooks.receive(request, response);
    respond(request, url, options)
      .catch((error: unknown) => {
        console.error("The demo portal failed.", error);
        return asJson(500, { error: "The demo's server failed. Its log says why." });
      })
      .then((reply) => send(response, reply));
  });
  refuseOtherSites(server);
  return listen(server, options.port);
}

async function respond(
  request: IncomingMessage,
  { pathname, searchParams: query }: URL,
  options: DemoOptions,
): Promise<DemoResponse> {
  for (const { backend } of demoPages) {
    const handle = backend?.[`${request.method} ${pathname}`];
    if (handle) return handle(options, await text(request));
  }
  if (request.method !== "GET" && request.method !== "HEAD")
    return asJson(405, { error: "This method is not allowed here." });
  const [file] = /^\/[a-z]+\.(css|js)$/.exec(pathname) ?? [];
  const asset = file && new URL(`assets${file}`, import.meta.url);
  if (asset && existsSync(asset)) {
    const type = file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    return { status: 200, type, body: readFileSync(asset) };
  }
  // A short address for a phone.
  const path = pathname === "/" && query.has("hand-in") ? handInPage.path : pathname;
  const page = demoPages.find((one) => one.path === path);
  const context = { ...options, query, user: signedInUser(request.headers.cookie) };
  if (!page) {
    const isForPerson = request.headers.accept?.includes("text/html");
    if (!isForPerson) return asJson(404, { error: "There is no such page." });
    return asHtml(404, renderLayout(notFoundPage, context));
  }
  return asHtml(200, renderLayout(page, context));
}

const asHtml = (status: number, body: string): DemoResponse => ({
  status,
  type: "text/html; charset=utf-8",
  body,
});

type TokenEndpoint = (options: DemoOptions, query: URLSearchParams) => EmbedHandler<IncomingMessage>;

/** The token endpoints of the pages, by path. */
const tokenEndpoints: Record<string, TokenEndpoint> = {
  // `?expires=10` asks for tokens of ten seconds, `?scanned` for tokens with which only files can be read that the local scanner found clean.
  "/embed-url": ({ apiBaseUrl, apiKey, bucket }, query) =>
    createEmbedHandler({
      apiBaseUrl,
      apiKey,
      scope: (_, { headers }: IncomingMessage) => ({
        bucket,
        actions: actionsOf(signedInUser(headers.cookie)),
        ...(query.has("scanned") && { requireTag: { key: SCAN_TAG, value: CLEAN } }),
      }),
      visitor: signedInVisitor,
      expiresInSeconds: Number(query.get("expires")) || undefined,
    }),
  // Northwind's staff see what everybody does.
  "/activity-url": ({ apiBaseUrl, apiKey }) =>
    createEmbedHandler({
      apiBaseUrl,
      apiKey,
      service: "activity",
      scope: () => ({}),
      visitor: signedInVisitor,
    }),
  // Whoever opens the page may hand files in: nobody is signed in.
  "/hand-in-url": ({ apiBaseUrl, apiKey, bucket }) =>
    createEmbedHandler({ apiBaseUrl, apiKey, scope: () => handInScope(bucket) }),
  "/quota-url": ({ apiBaseUrl, apiKey, bucket }) =>
    createEmbedHandler({
      apiBaseUrl,
      apiKey,
      scope: () => quotaScope(bucket),
      visitor: signedInVisitor,
    }),
};

/** In the demo, somebody is always signed in. */
function signedInVisitor(_: Request, { headers }: IncomingMessage): { id: string; name: string } {
  const { id, name } = signedInUser(headers.cookie);
  return { id, name };
}

function send(response: ServerResponse, { status, type, body }: DemoResponse): void {
  response.writeHead(status, {
    "Content-Type": type,
    "Cache-Control": "no-store",
    // The platform must see which origin embeds it.
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(response.req.method === "HEAD" ? undefined : body);
}
