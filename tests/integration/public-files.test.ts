import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as makeRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, inject, it } from "vitest";

const { platformBaseUrl } = inject("stack");
const get = (path: string) => fetch(platformBaseUrl + path);
const { version, versions } = JSON.parse(readFileSync("public/platform-embed.json", "utf8"));

describe("the element's files", () => {
  it.each(["js", "css"])(
    "of a version may be loaded by any page, and cached permanently once it is released: %s",
    async (end) => {
      const { path, integrity } = versions[version][end];
      expect(path).toBe(`/platform-embed@${version}.${end}`);
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": "*",
        "cross-origin-resource-policy": "cross-origin",
      });
      const isKept = response.headers.get("Cache-Control")?.includes("immutable");
      expect(isKept).toBe(versions[version].released);
      const hash = createHash("sha384").update(Buffer.from(await response.arrayBuffer()));
      expect(integrity).toBe(`sha384-${hash.digest("base64")}`);
    },
  );

  it("of the newest version have unversioned names and a short cache time", async () => {
    const plain = await get("/platform-embed.js");
    expect(plain.headers.get("Cache-Control")).not.toContain("immutable");
    expect(plain.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(plain.headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
    expect(await plain.text()).toBe(await (await get(`/platform-embed@${version}.js`)).text());
    expect(await (await get("/platform-embed.json")).json()).toEqual({ version, versions });
  });

  it.each(["/platform-embed@9.9.9.js", "/platform-embed@.js", "/platform-embed@9.9.9.css"])(
    "of no other version are there, and which are is said: %s",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get("Cache-Control")).toBe("no-store");
      // Otherwise the page's console would report a CORS error.
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
      if (!path.includes("@."))
        expect((await response.json()).error).toContain(`/platform-embed@${version}.`);
    },
  );

  it("are refused to other methods", async () => {
    const response = await fetch(`${platformBaseUrl}/platform-embed@${version}.js`, { method: "POST" });
    expect(response.status).toBe(404);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });
});

describe("a file that can be compressed", () => {
  const path = "/embed-workers/checksum.js";
  const plain = readFileSync(`public${path}`);
  const ask = (acceptEncoding: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(platformBaseUrl + path, { method, headers: { ...headers, "Accept-Encoding": acceptEncoding } });

  it.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["deflate", null],
    ["identity", null],
  ])("is sent to a caller who takes %j in the encoding %j", async (acceptEncoding, encoding) => {
    const response = await ask(acceptEncoding);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Encoding")).toBe(encoding);
    expect(response.headers.get("Vary")).toContain("Accept-Encoding");
    expect(response.headers.get("Content-Type")).toMatch(/^application\/javascript; charset=utf-8$/i);
    expect(response.headers.get("Cache-Control")).toBe("no-cache");
    // It is made before it is sent, and not for each request.
    const length = Number(response.headers.get("Content-Length"));
    if (encoding === null) expect(length).toBe(plain.length);
    else expect(length).toSatisfy((bytes: number) => bytes > 0 && bytes < plain.length);
    expect(Buffer.from(await response.arrayBuffer()).equals(plain)).toBe(true);
  });

  it("is not sent to a cache that has it, in this encoding", async () => {
    // `fetch` would ask caches to pass the request on.
    const send = async (method: string, headers: Record<string, string>) => {
      const request = makeRequest(platformBaseUrl + path, { method, headers }).end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      const { statusCode, headers: received } = response;
      return { statusCode, headers: received, bytes: (await buffer(response)).length };
    };
    const head = await send("HEAD", { "Accept-Encoding": "br" });
    expect(head).toMatchObject({ statusCode: 200, bytes: 0 });
    const known = { "If-None-Match": head.headers.etag ?? "" };
    const again = await send("GET", { "Accept-Encoding": "br", ...known });
    expect(again).toMatchObject({ statusCode: 304, bytes: 0 });
    expect(again.headers["cache-control"]).toBe("no-cache");
    expect((await send("GET", { "Accept-Encoding": "gzip", ...known })).statusCode).toBe(200);
  });
});

describe("workers", () => {
  it.each(["document", "sheet", "heic", "markdown", "highlight", "checksum"])(
    "%s have no network",
    async (name) => {
      const response = await get(`/embed-workers/${name}.js`);
      expect(response.status).toBe(200);
      expect(response.headers.get("Content-Security-Policy")).toBe(
        "default-src 'none'; script-src 'wasm-unsafe-eval'",
      );
    },
  );

  it("with libheif come with its licence", async () => {
    const response = await get("/embed-workers/heic.LICENSE.txt");
    expect(await response.text()).toContain("GNU LESSER GENERAL PUBLIC LICENSE");
  });
});

describe("the embed page under an embedder policy", () => {
  const headersOf = async (query: string, headers: Record<string, string>) =>
    (await fetch(`${platformBaseUrl}/embed/files?t=x${query}`, { headers })).headers;
  it.each<[string, string, Record<string, string>, string | null]>([
    ["Chromium", "", { "Sec-CH-UA": '"Chromium";v="156"' }, "credentialless"],
    ["another browser on a page that is isolated", "&isolated=true", {}, "credentialless"],
    ["another browser", "", {}, null],
  ])("in %s", async (_, query, sent, policy) => {
    const headers = await headersOf(query, sent);
    expect(headers.get("Cross-Origin-Embedder-Policy")).toBe(policy);
    expect(headers.get("Cross-Origin-Resource-Policy")).toBe("cross-origin");
  });
});
