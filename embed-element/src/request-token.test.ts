import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmbedError } from "./embed-error.js";
import { fromEndpoint, toEmbedError } from "./request-token.js";

it("a request that got no answer names what a browser tells its own console only", () => {
  const { code, retryable, message } = toEmbedError(new TypeError("Failed to fetch"), "initial");
  expect({ code, retryable }).toEqual({ code: "token_endpoint_failed", retryable: true });
  expect(message).toMatch(/Failed to fetch \(network or CORS; call your own server\)$/);
});

it("what a page's own function throws is passed on as it is", () => {
  expect(toEmbedError(new Error("GraphQL said no"), "initial").message).toMatch(/GraphQL said no$/);
  expect(toEmbedError(undefined, "initial").code).toBe("token_endpoint_failed");
  const own = new EmbedError("not_configured", false);
  expect(toEmbedError(own, "initial")).toBe(own);
});

it.each([
  [401, "invalid_api_key"],
  [401, "api_key_expired"],
  [403, "service_not_allowed"],
  [403, "service_not_enabled"],
  [403, "scope_not_allowed"],
  [403, "origin_not_allowed"],
  [403, "cross_site"],
  [502, "whatever"],
])("a %i %s that is handed on is about the integrator's server, and ends no session", (status, code) => {
  expect(toEmbedError({ status, code }, "expired")).toMatchObject({ code, retryable: false });
});

it.each([
  [401, "not_signed_in"],
  [403, "forbidden"],
  [403, undefined],
])("a %i %s at a renewal ends the session", (status, code) => {
  expect(toEmbedError({ status, code }, "expired").code).toBe("session_expired");
});

it("a session that has ended says so once, without the endpoint's own sentence", () => {
  const thrown = { status: 401, code: "not_signed_in", error: "Sign in first." };
  expect(toEmbedError(thrown, "expired").message).toBe(
    "The visitor's session has ended. Sign in again. (status 401)",
  );
});

it("a refusal by the endpoint is not taken for one by the frame", () => {
  const thrown = { status: 502, code: "scope_not_allowed", error: "The API key is not allowed this scope." };
  expect(toEmbedError(thrown, "initial").message).toBe(
    "The token endpoint responded with an error. The API key is not allowed this scope. (status 502)",
  );
});

it("a token that has ended, from a new request, says what to look for", () => {
  expect(new EmbedError("token_expired", false).message).toContain("must not be cached");
});

describe("an endpoint that answers in no words of its own", () => {
  let server: Server;
  let origin = "";
  beforeAll(async () => {
    server = createServer(({ url = "" }, response) => {
      const headers = {
        "Content-Type": "text/html",
        ...(url === "/lapsed" && { Location: "/sign-in?state=secret" }),
      };
      const status = { "/lapsed": 302, "/sign-in?state=secret": 200 }[url] ?? Number(url.slice(1, 4));
      response.writeHead(status, headers).end("<!doctype html>");
    }).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  async function failure(path: string) {
    const signal = AbortSignal.timeout(10_000);
    const asked = fromEndpoint(`${origin}${path}`)({ service: "files", reason: "initial", signal });
    return toEmbedError(await asked.catch((thrown: unknown) => thrown), "initial");
  }

  it.each([
    ["/404", "token_endpoint_failed", "<origin>/404 (status 404)"],
    ["/403", "token_endpoint_failed", "<origin>/403 (CSRF?) (status 403)"],
    ["/200", "token_endpoint_invalid", "(<origin>/200)"],
    ["/404?state=secret", "token_endpoint_failed", "<origin>/404 (status 404)"],
    ["/lapsed", "session_expired", "(<origin>/sign-in)"],
  ])("is named: %s", async (path, code, says) => {
    const error = await failure(path);
    expect(error.code).toBe(code);
    expect(error.message).toContain(says.replace("<origin>", origin));
  });
});
