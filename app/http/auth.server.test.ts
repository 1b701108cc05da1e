import { describe, expect, it } from "vitest";
import { AppError } from "../shared/app-error";
import { requireBearerToken } from "./auth.server";

const env = { apiBearerTokens: ["token-in-use", "token-to-come"] };
const call = (authorization: string | undefined, apiBearerTokens = env.apiBearerTokens) => {
  const headers = new Headers(authorization === undefined ? [] : [["Authorization", authorization]]);
  requireBearerToken(new Request("http://127.0.0.1/", { headers }), apiBearerTokens);
};

describe("the bearer token", () => {
  it.each(["Bearer token-in-use", "Bearer token-to-come", "bearer  token-in-use"])("opens: %s", (header) => {
    expect(() => call(header)).not.toThrow();
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer wrong",
    "Bearer token-in-us",
    "Bearer token-in-use2",
    "Bearer token-in-use,token-to-come",
    "Bearer token-in-use token-to-come",
    "Basic token-in-use",
    "token-in-use",
  ])("does not open: %s", (header) => {
    expect(() => call(header)).toThrow(
      expect.objectContaining({ code: "invalid_bearer_token", headers: { "WWW-Authenticate": "Bearer" } }),
    );
  });

  it("is not asked for where none is configured", () => {
    expect(() => call(undefined, [])).not.toThrow();
  });

  it("is refused with one answer, whatever was wrong with it", () => {
    const messageFor = (header: string | undefined) => {
      try {
        return call(header);
      } catch (error) {
        return error instanceof AppError ? error.message : error;
      }
    };
    expect(messageFor("Bearer wrong")).toMatch("missing or not valid");
    expect(messageFor(undefined)).toBe(messageFor("Bearer wrong"));
    expect(messageFor("Basic x")).toBe(messageFor("Bearer wrong"));
  });
});
