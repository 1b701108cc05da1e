import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test as base, expect, type Frame, type Page } from "@playwright/test";
import { build } from "esbuild";
import type { FrameMessage } from "../../embed-element/protocol";
import { standalone } from "../../embed-element/standalone";
import { IntegratorSite } from "../support/integrator/integrator-site";

/**
 * A scripted platform. It can be late, blocked, broken and hostile. The real platform has its own tests.
 */
export class ScriptedPlatform {
  origin = "";
  /** every request for an embed page */
  requests: { url: URL; referrer: string | undefined }[] = [];
  /** number of the element's probes of whether the platform is reachable */
  probes = 0;
  headers: Record<string, string> = {};
  /** whether a proxy without CORS headers responds instead of the platform */
  isBehindBrokenProxy = false;
  /** additional HTML of the page */
  extra = "";
  /** what the page posts to its parent as soon as it runs */
  opening: (service: string, token: string) => object[] = (service) => [
    { type: "platform.embed.ready", version: 1, service, expiresAt: 2_000_000_000 },
  ];

  handle = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? "/", this.origin);
    if (url.pathname === "/healthz") {
      this.probes += 1;
      if (!this.isBehindBrokenProxy) response.setHeader("Access-Control-Allow-Origin", "*");
      response.end("ok");
      return;
    }
    this.requests.push({ url, referrer: request.headers.referer });
    if (this.isBehindBrokenProxy) {
      response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");
      return;
    }
    const opening = this.opening(url.pathname.split("/").pop() ?? "", url.searchParams.get("t") ?? "");
    const parent = new URL(request.headers.referer ?? this.origin).origin;
    response.writeHead(200, { "Content-Type": "text/html", ...this.headers });
    response.end(`<!doctype html><html lang="en"><title>Scripted</title><main><h1>The service</h1></main><script>
      window.received = [];
      window.say = (message) => parent.postMessage(message, ${JSON.stringify(parent)});
      addEventListener("message", ({ data, origin }) => received.push({ ...data, origin }));
      ${JSON.stringify(opening)}.forEach(say);
    </script>${this.extra}</html>`);
  };
}

/** An integrator of the scripted platform: a page with the tag, and a token endpoint. */
export class HostSite extends IntegratorSite {
  #tokens = 0;

  constructor(
    readonly page: Page,
    readonly platform: ScriptedPlatform,
    script: string,
  ) {
    super();
    this.pages
      .set("/platform-embed.js", script)
      .set("/record-events.js", recordEvents)
      .set("*", embeddingPage(""));
  }

  override async issue(service: string): Promise<{ url: string; expiresAt: number }> {
    return { url: this.embedUrl(service), expiresAt: 2_000_000_000 };
  }

  embedUrl(service = "files"): string {
    this.#tokens += 1;
    return `${this.platform.origin}/embed/${service}?t=token-${this.#tokens}`;
  }

  /** Opens a page with `body`. Records every event of the element in `window.events`, oldest first. */
  async open(body: string, headers: Record<string, string> = {}): Promise<void> {
    this.pages.set("*", embeddingPage(body));
    this.headers = headers;
    await this.page.goto(this.origin);
  }

  /** The tag as in the README. */
  openTag(attributes = ""): Promise<void> {
    return this.open(
      `<platform-embed service="files" token-endpoint="/embed-url" ${attributes}></platform-embed>`,
    );
  }

  /** The names of the element's events so far, without their prefix. */
  events(): Promise<string[]> {
    return this.page.evaluate(() => window.events.map(({ type }) => type));
  }

  /** The details of the events called `type` so far. */
  details(type: string): Promise<unknown[]> {
    return this.page.evaluate(
      (wanted) => window.events.filter((event) => event.type === wanted).map(({ detail }) => detail),
      type,
    );
  }

  async waitForEvent(type: string, count = 1): Promise<void> {
    await expect.poll(async () => (await this.details(type)).length, { message: type }).toBe(count);
  }

  /** The document in the embedded frame. */
  async frame(): Promise<Frame> {
    await expect.poll(() => this.#frames().length).toBeGreaterThan(0);
    const [frame] = this.#frames().slice(-1);
    if (!frame) throw new Error("There is no frame.");
    return frame;
  }

  /** Posts `message` from the embedded document to the embedding page. */
  async frameSays(message: FrameMessage | Record<string, unknown>): Promise<void> {
    const frame = await this.frame();
    await frame.evaluate((data) => window.say(data), message);
  }

  /** Returns the messages that the embedded document has received, oldest first. */
  async frameHeard(type: string): Promise<Record<string, unknown>[]> {
    const frame = await this.frame();
    return frame.evaluate((wanted) => window.received.filter((message) => message.type === wanted), type);
  }

  #frames(): Frame[] {
    return this.page.frames().filter((frame) => frame.url().startsWith(this.platform.origin));
  }
}

const embeddingPage = (body: string) => `<!doctype html><html lang="en"><head><title>Embedding page</title>
  <script src="/record-events.js"></script><script src="/platform-embed.js"></script></head>
  <body><main><h1>Embedding page</h1>${body}</main></body></html>`;

/** Runs in the page before its other scripts. */
const recordEvents = `window.events = [];
for (const name of ["loading", "ready", "error", "token-refreshed", "session-expired", "ended", "navigate", "upload-progress", "upload-complete", "upload-failed", "download-complete", "change"])
  document.addEventListener("platform-embed-" + name, ({ detail }) => events.push({ type: name, detail }));`;

declare global {
  interface Window {
    events: { type: string; detail: unknown }[];
    received: Record<string, unknown>[];
    say(message: unknown): void;
  }
}

/** The file for script tags, with the build's options. */
async function buildStandalone(): Promise<string> {
  const { outputFiles } = await build({ ...standalone, write: false });
  return outputFiles.map(({ text }) => text).join("");
}

export const test = base.extend<{ platform: ScriptedPlatform; site: HostSite }, { elementScript: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the first parameter's destructuring.
  elementScript: [async ({}, use) => use(await buildStandalone()), { scope: "worker" }],

  // biome-ignore lint/correctness/noEmptyPattern: as above
  platform: async ({}, use) => {
    const platform = new ScriptedPlatform();
    const server = createServer(platform.handle).listen(0, "127.0.0.1");
    await once(server, "listening");
    platform.origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    await use(platform);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },

  site: async ({ page, platform, elementScript }, use) => {
    const site = new HostSite(page, platform, elementScript);
    await site.start();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await use(site);
    await site.close();
    expect(errors, "uncaught errors in the page").toEqual([]);
  },
});

export { expect };

export const expired = { type: "platform.embed.token-expired", service: "files" } as const;

/** Like `openReady`, with a clock that only `runFor` moves. */
export async function openReadyWithStoppedClock(site: HostSite): Promise<void> {
  const { clock } = site.page;
  await clock.install({ time: 0 });
  await clock.pauseAt(1_000);
  await openReady(site);
  // Moves past the minimum time of a second between two renewals.
  await clock.runFor(1_000);
}

export async function openReady(site: HostSite): Promise<void> {
  await site.openTag();
  await site.waitForEvent("ready");
}

/** Holds the endpoint's responses until the returned function is called. */
export function holdAnswers(site: HostSite): () => void {
  const waiting: (() => void)[] = [];
  site.respond = (response, request) => waiting.push(() => site.grant(response, request));
  return () => {
    for (const go of waiting) go();
  };
}
