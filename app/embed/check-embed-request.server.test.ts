import { describe, expect, it } from "vitest";
import { z } from "zod";
import { services } from "../services/registry.server";
import { AppError } from "../shared/app-error";
import { checkEmbedRequest, refusal, refusalAdvice } from "./check-embed-request.server";
import { type EmbedTokenPayload, readGrant, signEmbedToken } from "./embed-token.server";
import { embeddingOriginOf } from "./origin";

const secret = "a-secret-of-at-least-thirty-two-bytes";
const settings = { signingSecrets: [secret], nowSeconds: 1_000 };
const tokenWith = (changes: Partial<EmbedTokenPayload> = {}, key = secret) =>
  signEmbedToken(
    {
      cid: "client",
      companyId: "company",
      svc: "files",
      scope: { bucket: "docs", path: "/a" },
      origins: ["HTTPS://App.example.com:443", "https://other.example", "https://*"],
      iat: 900,
      exp: 1_900,
      ...changes,
    },
    key,
  );
const allowed = {
  scope: { bucket: "docs", path: "/a" },
  companyId: "company",
  clientId: "client",
  origins: ["https://app.example.com", "https://other.example"],
  issuedAt: 900,
  expiresAt: 1_900,
};
const fromApp = { Origin: "https://app.example.com" };

const requestFor = (service: string, token: string | null, sent: Record<string, string>) => {
  const headers = new Headers(sent);
  return { service, token, headers, embeddingOrigin: embeddingOriginOf(headers) };
};

const open = ({
  service = "files",
  token = tokenWith(),
  headers = fromApp,
}: {
  service?: string;
  token?: string | null;
  headers?: Record<string, string>;
} = {}) => checkEmbedRequest(requestFor(service, token, headers), services, settings);

const refusalOf = (...request: Parameters<typeof open>) => {
  try {
    open(...request);
    return "opened";
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    const { code } = error as AppError;
    expect(Object.keys(refusalAdvice)).toContain(code);
    return code;
  }
};

describe("opening an embed", () => {
  it("gives what the token allows, and the page's origins in their normal form", () => {
    const token = tokenWith();
    expect(open({ token })).toEqual({
      service: services.files,
      token,
      grant: allowed,
      embeddingOrigin: "https://app.example.com",
    });
  });

  it("takes the page's origin from the referrer where no Origin is sent", () => {
    const headers: Record<string, string> = { Referer: "https://other.example/page" };
    expect(open({ headers }).embeddingOrigin).toBe("https://other.example");
  });

  it("tells a service that is not there from one that is not enabled, whatever the token", () => {
    expect(refusalOf({ service: "nothing", token: null })).toBe("not_found");
    expect(refusalOf({ service: "toString" })).toBe("not_found");
    expect(refusalOf({ service: "notif", token: null })).toBe("service_not_enabled");
  });

  it.each<[code: string, token: () => string | null]>([
    ["token_missing", () => null],
    ["token_missing", () => ""],
    ["invalid_token", () => "x"],
    ["invalid_token", () => tokenWith({}, "another-secret")],
    ["invalid_token", () => tokenWith({ scope: { bucket: 1 } })],
    ["token_expired", () => tokenWith({ exp: 1_000 })],
    ["service_mismatch", () => tokenWith({ svc: "notif" })],
  ])("is refused as %s: %#", (code, token) => {
    expect(refusalOf({ token: token() })).toBe(code);
  });

  it("is refused to a page that is not on the token's list, or does not say what it is", () => {
    expect(refusalOf({ headers: { Origin: "https://evil.example" } })).toBe("origin_not_allowed");
    expect(refusalOf({ headers: { Origin: "null" } })).toBe("origin_not_allowed");
    expect(refusalOf({ token: tokenWith({ origins: ["null", "*"] }), headers: { Origin: "null" } })).toBe(
      "origin_not_allowed",
    );
    expect(refusalOf({ headers: { Referer: "https://evil.example/" } })).toBe("origin_not_allowed");
    expect(refusalOf({ headers: {} as Record<string, string> })).toBe("referrer_missing");
    expect(refusalOf({ headers: { Referer: "about:blank" } })).toBe("referrer_missing");
  });

  it("compares origins whole: scheme, host and port", () => {
    const openFrom = (Origin: string, origins = ["https://app.example.com"]) =>
      refusalOf({ token: tokenWith({ origins }), headers: { Origin } });
    expect(openFrom("https://app.example.com")).toBe("opened");
    expect(openFrom("https://app.example.com", ["https://other.example", "https://app.example.com"])).toBe(
      "opened",
    );
    for (const other of [
      "http://app.example.com",
      "https://app.example.com:8443",
      "https://app.example.com.evil.example",
      "https://evil-app.example.com",
    ])
      expect([other, openFrom(other)]).toEqual([other, "origin_not_allowed"]);
  });

  it("passes on what is not about the token", () => {
    const request = requestFor("files", tokenWith(), fromApp);
    const noSecret = { ...settings, signingSecrets: [Symbol("no secret") as unknown as string] };
    expect(() => checkEmbedRequest(request, services, noSecret)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_ARG_TYPE" }),
    );
    const away = new AppError("unavailable", "Try again.");
    const scopeSchema = z.custom<never>(() => {
      throw away;
    });
    expect(() => checkEmbedRequest(request, { files: { ...services.files, scopeSchema } }, settings)).toThrow(
      away,
    );
  });
});

describe("what a token allows in a service", () => {
  const read = (token: string, service = services.files) => readGrant(token, service, settings);

  it("is its scope, until it expires", () => {
    expect(read(tokenWith())).toEqual(allowed);
  });

  it("is attributed to the visitor that it names", () => {
    const visitor = { id: "u-42", name: "Ada" };
    expect(read(tokenWith({ visitor }))).toEqual({ ...allowed, visitor });
  });

  it.each<[code: string, message: string, token: () => string]>([
    [
      "invalid_token",
      "The embed token is malformed. Send the parameter t of an issued URL, unchanged.",
      () => "x",
    ],
    ["invalid_token", "The embed token is not valid.", () => tokenWith({ scope: { bucket: 1 } })],
    [
      "token_expired",
      "The embed token has expired. Ask your backend for a new one.",
      () => tokenWith({ exp: 1_000 }),
    ],
    ["scope_not_allowed", "This token is not for the service files.", () => tokenWith({ svc: "notif" })],
  ])("is refused as %s: %s", (code, message, token) => {
    expect(() => read(token())).toThrow(expect.objectContaining({ code, message }));
  });
});

it("a refusal says one thing on the page, and more in the log", () => {
  const said = {
    code: "service_not_enabled",
    message: "This is not available yet",
    logDetail: "Its page is missing.",
  };
  expect(refusal("service_not_enabled", "Its page is missing.")).toMatchObject(said);
});
