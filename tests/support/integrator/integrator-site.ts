/** An integrator's site: pages, and a backend with a token endpoint. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The body that the element posts to a token endpoint. A hand-written page may post less. */
export interface TokenRequest {
  service: string;
  scope?: unknown;
  reason: string;
}

export abstract class IntegratorSite {
  origin = "";
  /** HTML and JavaScript (`.js`) by path; `*` matches every other path */
  readonly pages = new Map<string, string>();
  /** additional response headers of each page */
  headers: Record<string, string> = {};
  /** requests that the token endpoint received */
  asked: TokenRequest[] = [];
  /** Responds with an embed URL, as a correct endpoint does. */
  readonly grant = async (response: ServerResponse, { service = "files" }: Partial<TokenRequest>) => {
    const { url, expiresAt } = await this.issue(service);
    this.json(response, 200, { url, expiresAt, service });
  };
  /** the endpoint's handler; if it never ends the response, the request stays pending */
  respond: (response: ServerResponse, request: TokenRequest) => unknown = this.grant;
  readonly #server = createServer((request, response) => this.#handle(request, response));

  /** Returns an embed URL and its token's expiry in seconds since 1970. */
  abstract issue(service: string): Promise<{ url: string; expiresAt: number }>;

  json(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://integrator").pathname;
    if (request.method === "POST" && path === "/embed-url") {
      const asked: TokenRequest = JSON.parse((await text(request)) || "{}");
      this.asked.push(asked);
      await this.respond(response, asked);
      return;
    }
    const page = this.pages.get(path) ?? this.pages.get("*");
    if (page === undefined) {
      response.writeHead(404).end();
    } else if (path.endsWith(".js")) {
      response.writeHead(200, { "Content-Type": "text/javascript; charset=utf-8" }).end(page);
    } else {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...this.headers }).end(page);
    }
  }
}
