import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/built-app";
import { issueEmbedUrl, makeEmbedClient, postEmbedUrl, type TestEmbedClient } from "../support/embed-client";

const stack = inject("stack");
let app: BuiltApp;
let wire: Wire;
let client: TestEmbedClient;

beforeAll(async () => {
  client = await makeEmbedClient(stack);
  const url = new URL(stack.postgresUrl);
  wire = new Wire(Number(url.port), url.hostname);
  await wire.mend();
  url.host = `127.0.0.1:${wire.port}`;
  app = await startBuiltApp(stack, { POSTGRES_URL: url.href, CLOUD_S3_FORCE_PATH_STYLE: "true" });
});
afterAll(async () => {
  await app?.close();
  await wire?.cut();
});

const issue = () =>
  postEmbedUrl({ ...stack, apiBaseUrl: app.apiBaseUrl }, client.apiKey, {
    service: "files",
    scope: { bucket: client.bucket },
  });
const ready = () => fetch(`${app.apiBaseUrl}/readyz`);

describe("while the database cannot be reached", () => {
  it("what needs it answers 503 with Retry-After, what does not goes on, and all is well once it is back", async () => {
    const { token } = await issueEmbedUrl(stack, client);
    expect((await issue()).status).toBe(200);

    await wire.cut();
    for (const answer of [await ready(), await issue()]) {
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
      const body = await answer.json();
      expect(body.code).toBe("unavailable");
      expect(body.error).not.toMatch(/127\.0\.0\.1|postgres|ECONN/i);
    }
    expect((await fetch(`${app.apiBaseUrl}/healthz`)).status).toBe(200);
    const listed = await fetch(`${app.env.PLATFORM_BASE_URL}/api/embed/storage/list`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, bucket: client.bucket }),
    });
    expect(listed.status).toBe(200);

    await wire.mend();
    expect((await ready()).status).toBe(200);
    expect((await issue()).status).toBe(200);
  });
});

/** A wire to PostgreSQL that can be cut and mended. */
class Wire {
  port = 0;
  #server: Server | undefined;
  #sockets = new Set<Socket>();

  constructor(
    readonly targetPort: number,
    readonly targetHost: string,
  ) {}

  async mend(): Promise<void> {
    const server = createServer((from) => {
      const to = connect(this.targetPort, this.targetHost);
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.pipe(other);
        one.on("error", () => other.destroy());
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(this.port, "127.0.0.1", resolve));
    this.#server = server;
    const address = server.address();
    if (typeof address === "object" && address !== null) this.port = address.port;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
