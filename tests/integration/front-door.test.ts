import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type BuiltApp, startBuiltApp } from "../support/app/built-app";
import { sendRaw } from "../support/network/raw-http";

const stack = inject("stack");
let app: BuiltApp;
let host: string;

beforeAll(async () => {
  app = await startBuiltApp(stack, {});
  host = new URL(app.apiBaseUrl).host;
});
afterAll(() => app?.close());

const send = (lines: string[], body = "") =>
  sendRaw(app.apiBaseUrl, `${[...lines, "", ""].join("\r\n")}${body}`);

const notFound = { error: "There is nothing at this address.", code: "not_found" };

describe("a request that no route can read gets an error response in the usual format", () => {
  const cases: [string, () => string[], number][] = [
    ["an absolute target", () => [`GET http://${host}/healthz HTTP/1.1`, `Host: ${host}`], 400],
    ["an absolute target of nowhere", () => ["GET http://a@b:99999999/ HTTP/1.1", `Host: ${host}`], 400],
    ["OPTIONS *", () => ["OPTIONS * HTTP/1.1", `Host: ${host}`], 400],
    ["two Hosts", () => ["GET /healthz HTTP/1.1", `Host: ${host}`, "Host: other"], 400],
    ["Host: [", () => ["GET /healthz HTTP/1.1", "Host: ["], 400],
    ["Host: a@host", () => ["GET /healthz HTTP/1.1", "Host: a@host"], 400],
    ["Host: x:99999999", () => ["GET /healthz HTTP/1.1", "Host: x:99999999"], 400],
    ["Host: x:70000", () => ["GET /healthz HTTP/1.1", "Host: x:70000"], 400],
    ["Host: a/b", () => ["GET /healthz HTTP/1.1", "Host: a/b"], 400],
    ["TRACE", () => ["TRACE /healthz HTTP/1.1", `Host: ${host}`], 405],
    ["PROPFIND", () => ["PROPFIND /healthz HTTP/1.1", `Host: ${host}`], 405],
    ["Remix's own parameter", () => ["GET /embed/files?t=x?&%5Fdata=root HTTP/1.1", `Host: ${host}`], 404],
    ["Remix's own parameter elsewhere", () => ["GET /healthz?_data=root HTTP/1.1", `Host: ${host}`], 404],
  ];
  it.each(cases)("%s", async (_, lines, status) => {
    const response = await send(lines());
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("x-request-id")).toMatch(/^[\w.:-]{1,36}$/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(JSON.parse(response.body)).toMatchObject({ error: expect.stringMatching(/\.$/) });
    expect(response.body).not.toMatch(/ at .*:\d+|node:|<html/i);
    expect(response.headers.has("allow")).toBe(status === 405);
  });

  it("is not logged as an error", () => {
    expect(app.outputSinceReady()).not.toContain('"level":"error"');
  });

  it("of HTTP/1.0 needs no Host header, because some load balancers' health checks send none", async () => {
    expect((await send(["GET /readyz HTTP/1.0"])).status).toBe(200);
    const { body } = await send(["POST /api/embed/url HTTP/1.0"]);
    expect(JSON.parse(body)).toEqual({
      ...notFound,
      error: "There is nothing at this address. It is at the host of API_BASE_URL.",
    });
  });

  it("may have a malformed X-Forwarded-Host, which is ignored while no proxy is trusted", async () => {
    for (const forwarded of ["[", "x:99999999", "a@b", `${"x".repeat(300)}`]) {
      const { status } = await send([
        "GET /healthz HTTP/1.1",
        `Host: ${host}`,
        `X-Forwarded-Host: ${forwarded}`,
      ]);
      expect(status).toBe(200);
    }
  });

  it("gets the allowed methods of a page after a POST, whatever its origin", async () => {
    for (const origin of ["https://evil.example", "null", "http://[", new URL(app.apiBaseUrl).origin]) {
      const response = await send([
        "POST /embed/files HTTP/1.1",
        `Host: ${host}`,
        `Origin: ${origin}`,
        "Content-Length: 0",
      ]);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("GET, HEAD");
      expect(JSON.parse(response.body)).toEqual({
        error: "This address accepts only GET, HEAD.",
        code: "method_not_allowed",
      });
    }
  });

  it("cannot smuggle another request in its body", async () => {
    const smuggled = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const response = await send(
      ["POST /nope HTTP/1.1", `Host: ${host}`, `Content-Length: ${smuggled.length}`],
      smuggled,
    );
    expect(response.status).toBe(404);
  });
});

it("a connection that sends hundreds of requests at once is closed, and holds nobody up", async () => {
  const request = `GET /embed-workers/heic.js HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  const { hostname, port } = new URL(app.apiBaseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(request.repeat(300));
  // The caller reads nothing, so only what the server closes ends.
  await new Promise((resolve) => socket.on("error", resolve).once("close", resolve));
  expect((await fetch(`${app.apiBaseUrl}/healthz`)).status).toBe(200);
});

describe("invalid HTTP gets Node's own response", () => {
  const cases: [string, () => string[], number][] = [
    ["no Host", () => ["GET /healthz HTTP/1.1"], 400],
    ["bytes that are not HTTP", () => ["HELLO"], 400],
    ["an unknown method", () => ["BREW /healthz HTTP/1.1", `Host: ${host}`], 400],
    ["an unknown Expect", () => ["GET /healthz HTTP/1.1", `Host: ${host}`, "Expect: miracles"], 417],
    [
      "headers that are too large",
      () => ["GET /healthz HTTP/1.1", `Host: ${host}`, `X: ${"x".repeat(20_000)}`],
      431,
    ],
  ];
  it.each(cases)("%s", async (_, lines, status) => {
    expect((await send(lines())).status).toBe(status);
    expect(app.outputSinceReady()).not.toContain('"level":"error"');
  });
});

it("every built file is served under its name", async () => {
  const folder = fileURLToPath(new URL("../../public", import.meta.url));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const response = await fetch(`${app.ownUrl}/${file.split(sep).join("/")}`);
    expect([file, response.status]).toEqual([file, 200]);
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    await response.body?.cancel();
  }
});

describe("an address has one spelling", () => {
  it.each([
    "/API/EMBED/URL",
    "/Api/embed/url",
    "/api/embed/url/",
    "/api/embed/%75rl",
    "//api/embed/url",
    "/api//embed/url",
    "/api/./embed/url",
    "/api/x/../embed/url",
    "/api/embed/url;x",
    "/api/embed/url%2F",
    "/healthz/",
    "/HEALTHZ",
    "/embed/FILES/",
    "/embed/a%zz",
    "/%zz",
    "/platform-embed.js/",
  ])("%s is not found", async (path) => {
    for (const method of ["GET", "POST"]) {
      const response = await send([`${method} ${path} HTTP/1.1`, `Host: ${host}`, "Content-Length: 0"]);
      expect([response.status, JSON.parse(response.body)]).toEqual([404, notFound]);
    }
  });
});

describe("a client that disconnects", () => {
  it("is logged with status 499, and not as an error", async () => {
    const id = "went-away-early";
    const { hostname, port } = new URL(app.apiBaseUrl);
    await new Promise<void>((resolve, reject) => {
      const head = [
        "POST /api/send-simple-email HTTP/1.1",
        `Host: ${host}`,
        "Content-Type: application/json",
        "Content-Length: 1000",
        `X-Request-Id: ${id}`,
        "",
        '{"to":',
      ].join("\r\n");
      const socket = connect(Number(port), hostname, () =>
        socket.write(head, () => setTimeout(() => socket.resetAndDestroy(), 100)),
      );
      socket.on("close", () => resolve());
      socket.on("error", reject);
    });
    await expect.poll(() => lineOf(id)).toBeDefined();
    expect(lineOf(id)).toMatchObject({ level: "info", status: 499 });
    expect(lineOf(id)).not.toHaveProperty("stack");
    expect(app.output()).not.toMatch(/aborted|ECONNRESET/);
  });

  function lineOf(id: string): object | undefined {
    const line = app
      .output()
      .split("\n")
      .find((text) => text.includes(id));
    return line === undefined ? undefined : JSON.parse(line);
  }
});
