import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import type * as EmbedServer from "../../embed-element/src/server";

/** The packed package's server entry in each framework, mounted as the README shows. */

const require = createRequire(import.meta.url);
/** These frameworks are installed in this folder only, so there are no types for them. */
const load = async (name: string) => {
  const { default: main, ...rest } = await import(pathToFileURL(require.resolve(name)).href);
  return { main, ...rest };
};

/** `ended` is set when an exception has escaped the handler. */
let ended: unknown;
const note = (error: unknown) => {
  ended = error;
};
test.beforeAll(() => {
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
});
test.afterAll(() => {
  process.off("uncaughtException", note);
  process.off("unhandledRejection", note);
});

type Frame = (
  handler: EmbedServer.EmbedHandler<IncomingMessage>,
  server: typeof EmbedServer,
) => Promise<Server>;

const listen = (listener: RequestListener) =>
  new Promise<Server>((resolve) => {
    const server = createServer(listener).listen(0, "127.0.0.1", () => resolve(server));
  });
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const express =
  (name: string): Frame =>
  async (handler, { toNodeHandler }) => {
    const { main } = await load(name);
    const app = main();
    app.use(main.json());
    app.post("/embed-url", toNodeHandler(handler));
    return listen(app);
  };

const frameworks: Record<string, Frame> = {
  "Express 4": express("express-4"),
  "Express 5": express("express-5"),
  async Fastify(handler, { toNodeHandler }) {
    const { main } = await load("fastify");
    const app = main();
    type Exchange = { raw: IncomingMessage & EmbedServer.NodeResponse; hijack(): void };
    app.post("/embed-url", async (request: Exchange, reply: Exchange) => {
      reply.hijack();
      await toNodeHandler(handler)(request.raw, reply.raw);
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return app.server;
  },
  async Hono(handler) {
    const { Hono } = await load("hono");
    const { getRequestListener } = await load("@hono/node-server");
    const app = new Hono();
    app.post("/embed-url", (context: { req: { raw: Request } }) =>
      handler(context.req.raw, context as never),
    );
    return listen(getRequestListener(app.fetch));
  },
  "node:http": async (handler, { toNodeHandler }) => listen(toNodeHandler(handler)),
};

for (const [name, start] of Object.entries(frameworks)) {
  test(`the server entry in ${name}`, async () => {
    const entry = join(
      String(process.env.BUNDLERS_APP),
      "node_modules/platform-embed-element/dist/src/server/index.js",
    );
    const server: typeof EmbedServer = await import(pathToFileURL(entry).href);
    const issued = {
      url: "https://embed.example/embed/files?t=a.b",
      expiresAt: 1_800_000_000,
      service: "files",
    };
    const platform = await listen((_, response) => {
      response.end(JSON.stringify(issued));
    });
    const handler = server.createEmbedHandler({
      apiBaseUrl: addressOf(platform),
      apiKey: "pek_x",
      scope: (request) => (request.headers.get("Cookie") === "user=ada" ? { bucket: "b" } : null),
      onError: () => {},
    });
    const app = await start(handler, server);
    const ask = async (headers: Record<string, string> = { Cookie: "user=ada" }) => {
      const body = JSON.stringify({ service: "files", reason: "initial" });
      const all = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", ...headers };
      const response = await fetch(`${addressOf(app)}/embed-url`, { method: "POST", headers: all, body });
      return { status: response.status, ...(await response.json()) };
    };
    try {
      expect(await ask()).toEqual({ status: 200, ...issued });
      expect(await ask({})).toMatchObject({ status: 401, code: "not_signed_in" });
      const evil = { Cookie: "user=ada", "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
      expect(await ask(evil)).toMatchObject({ status: 403, code: "cross_site" });
      platform.closeAllConnections();
      await new Promise((resolve) => platform.close(resolve));
      expect(await ask()).toMatchObject({ status: 503, code: "platform_unreachable" });
      expect(await ask({})).toMatchObject({ status: 401 });
      expect(ended).toBeUndefined();
    } finally {
      app.closeAllConnections();
      app.close();
      platform.close();
    }
  });
}
