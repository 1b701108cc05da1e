import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findFreePort } from "../../tests/support/free-port";
import { type Demo, startDemo } from ".";
import { demoPages } from "./pages";

const apiKey = "pek_the-key-of-the-demo";

interface Call {
  path: string | undefined;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** The platform's API at its wire: answers what the test says. */
let api: Server;
let answer: { status: number; body: object };
let calls: Call[];
let demo: Demo;

beforeAll(async () => {
  const port = await findFreePort();
  api = createServer(async (request, response) => {
    calls.push({ path: request.url, headers: request.headers, body: JSON.parse(await text(request)) });
    response.writeHead(answer.status).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => api.listen(port, "127.0.0.1", resolve));
  demo = await startDemo({
    port: await findFreePort(),
    apiBaseUrl: `http://127.0.0.1:${port}`,
    platformBaseUrl: `http://localhost:${port}`,
    apiKey,
    bucket: "demo-files",
  });
});

beforeEach(() => {
  calls = [];
  answer = { status: 200, body: { url: "http://platform/embed/files?t=x", expiresAt: 1, service: "files" } };
});

afterAll(async () => {
  await demo?.close();
  api?.close();
});

describe("the demo integrator", () => {
  it("asks the public API for an embed URL, with its key, and passes the answer on", async () => {
    const response = await fetch(`${demo.url}/embed-url`, { method: "POST" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(answer.body);
    expect(calls).toMatchObject([
      {
        path: "/api/embed/url",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
        body: { service: "files", scope: { bucket: "demo-files" } },
      },
    ]);
  });

  it("asks for short-lived tokens where its page says so", async () => {
    await fetch(`${demo.url}/embed-url?expires=10`, { method: "POST" });
    expect(calls[0]?.body).toMatchObject({ expiresInSeconds: 10 });
    expect(await (await fetch(`${demo.url}/?expires=10`)).text()).toContain(
      'token-endpoint="/embed-url?expires=10"',
    );
  });

  it("passes a refusal on as it is", async () => {
    answer = { status: 401, body: { error: "The API key is not valid.", code: "invalid_api_key" } };
    const response = await fetch(`${demo.url}/embed-url`, { method: "POST" });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(answer.body);
  });

  it.each(demoPages.map(({ path }) => path))("shows %s with the tag, and never the key", async (path) => {
    const response = await fetch(demo.url + path);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain("<platform-embed ");
    expect(html).toMatch(/<script src="http:\/\/localhost:\d+\/platform-embed\.js" defer>/);
    expect(html).not.toContain(apiKey);
  });

  it("writes what a query says as text", async () => {
    const html = await (
      await fetch(`${demo.url}/?expires=${encodeURIComponent(`"><script>alert(1)`)}`)
    ).text();
    expect(html).not.toContain("<script>alert");
  });

  it("knows no other pages and methods", async () => {
    expect((await fetch(`${demo.url}/nowhere`)).status).toBe(404);
    expect((await fetch(`${demo.url}/`, { method: "PUT" })).status).toBe(405);
  });
});
