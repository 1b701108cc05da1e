import { expect, it } from "vitest";
import { EmbedError } from "./embed-error";
import { toEmbedError } from "./token-source";

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

it("a token that has ended, from a new request, says what to look for", () => {
  expect(new EmbedError("token_expired", false).message).toContain("must not be cached");
});
