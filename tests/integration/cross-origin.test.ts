/** Pages of integrators call the storage endpoints from their own origins. docs/guide/security.md#pages-of-other-origins */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { issueEmbedUrl, makeEmbedClient, type TestEmbedClient } from "../support/app/embed-client";
import { createRouteApp } from "../support/app/route-app";

const stack = inject("stack");
const PORTAL = "https://portal.example.com";
const app = createRouteApp(stack);
const limited = createRouteApp(stack, { RATE_LIMIT_PER_ADDRESS: "2" });
const list = "/api/embed/storage/list";
let client: TestEmbedClient;
let token: string;
beforeAll(async () => {
  client = await makeEmbedClient(stack, { origins: [PORTAL] });
  ({ token } = await issueEmbedUrl(stack, client));
});
afterAll(async () => {
  await app.close();
  await limited.close();
});

const post = (body: object, headers: HeadersInit): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json", ...headers },
  body: JSON.stringify(body),
});
const listFrom = (headers: HeadersInit, sent = token) =>
  app.fetch(`${app.platformBaseUrl}${list}`, post({ token: sent, bucket: client.bucket }, headers));
const preflight = (address: string, headers: HeadersInit = {}): [string, RequestInit] => [
  address,
  { method: "OPTIONS", headers: { "Access-Control-Request-Method": "POST", ...headers } },
];
const corsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
const READABLE = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Retry-After, X-Request-Id",
};

describe("a request with an embed token", () => {
  it.each([
    ["of an origin in the token", () => PORTAL],
    ["of an origin in the token, written otherwise", () => "HTTPS://Portal.Example.com:443"],
    ["of our own frame", () => app.platformBaseUrl],
  ])("from a page %s is handled, and the page may read the response", async (_, origin) => {
    const response = await listFrom({ Origin: origin() });
    expect(response.status).toBe(200);
    expect(corsOf(response)).toEqual(READABLE);
  });

  it("from a program that is no browser, and sends no origin, is handled", async () => {
    expect((await listFrom({})).status).toBe(200);
  });

  it.each([
    ["https://evil.example"],
    ["https://portal.example.com.evil.example"],
    ["https://portal.example.com@evil.example"],
    ["http://portal.example.com"],
    ["https://portal.example.com:8443"],
    ["null"],
    ["*"],
    [`${PORTAL}, https://evil.example`],
  ])("from a page of %s is refused", async (origin) => {
    const response = await listFrom({ Origin: origin, Referer: `${PORTAL}/` });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
  });

  it("is refused to a foreign page before its body is read, where the token is in a header", async () => {
    const url = `${app.platformBaseUrl}/api/embed/storage/delete`;
    const headers = { Origin: "https://evil.example", Authorization: `Bearer ${token}` };
    const response = await app.fetch(url, { method: "POST", headers, body: "no JSON" });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "origin_not_allowed" });
  });

  it("that has expired or is invalid says so to any page, so that it can ask for another", async () => {
    const response = await listFrom({ Origin: PORTAL }, `${token}x`);
    expect(response.status).toBe(401);
    expect(corsOf(response)).toEqual(READABLE);
    expect(await response.json()).toMatchObject({ code: "invalid_token" });
  });
});

describe("a preflight", () => {
  it("allows any page to ask, without credentials, and by the server as it is deployed", async () => {
    const headers = {
      Origin: "https://anybody.example",
      "Access-Control-Request-Headers": "authorization,content-type",
    };
    const response = await fetch(...preflight(`${stack.platformBaseUrl}${list}`, headers));
    expect(response.status).toBe(204);
    expect(corsOf(response)).toEqual({
      ...READABLE,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "Authorization, Content-Type",
      "access-control-max-age": "7200",
    });
    expect(response.headers.has("Set-Cookie")).toBe(false);
    const from = (origin: string) =>
      fetch(`${stack.platformBaseUrl}${list}`, post({ token, bucket: client.bucket }, { Origin: origin }));
    expect((await from(PORTAL)).status).toBe(200);
    expect((await from("https://evil.example")).status).toBe(403);
  });

  it("counts as a request of its address", async () => {
    const asked = preflight(`${limited.platformBaseUrl}${list}`, { "X-Forwarded-For": "192.0.2.77" });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await limited.fetch(...asked)).status);
    expect(statuses).toEqual([204, 204, 429]);
  });

  it("leaves the requests of its address alone, and they leave it alone", async () => {
    const url = `${limited.platformBaseUrl}${list}`;
    const from = { "X-Forwarded-For": "192.0.2.78" };
    const refused = async () =>
      (await limited.fetch(url, post({ token: "none", bucket: client.bucket }, from))).status;
    const asked = async () => (await limited.fetch(...preflight(url, from))).status;
    expect([await asked(), await asked(), await asked()]).toEqual([204, 204, 429]);
    expect([await refused(), await refused(), await refused()]).toEqual([401, 401, 429]);
  });

  it.each(["/api/embed/url", "/api/embed/clients", "/api/embed/revoke", "/api/events"])(
    "is refused by %s, which takes a secret of a backend",
    async (path) => {
      const response = await app.fetch(...preflight(`${app.apiBaseUrl}${path}`, { Origin: PORTAL }));
      expect(response.status).toBe(405);
      expect(corsOf(response)).toEqual({});
    },
  );
});
