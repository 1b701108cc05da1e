import { describe, expect, it } from "vitest";
import { isAllowedOrigin, normalizeOrigin, parentOriginOf } from "./origin";

describe("an origin", () => {
  it.each([
    ["https://app.example.com", "https://app.example.com"],
    ["HTTPS://App.Example.com/", "https://app.example.com"],
    ["https://app.example.com:443", "https://app.example.com"],
    ["http://127.0.0.1:4000", "http://127.0.0.1:4000"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
  ])("%s is %s", (value, origin) => {
    expect(normalizeOrigin(value)).toBe(origin);
  });

  it.each([
    "null",
    "*",
    "",
    "app.example.com",
    "https://*.example.com",
    "https://app.example.com/path",
    "https://app.example.com/?a",
    "https://app.example.com#a",
    "https://user@app.example.com",
    "ftp://app.example.com",
    "javascript:alert(1)",
    "https://a.example https://b.example",
  ])("%j is none, or one that nobody has", (value) => {
    expect(isAllowedOrigin("https://app.example.com", [value])).toBe(false);
  });

  it("is compared whole: scheme, host and port", () => {
    const allowed = ["https://app.example.com"];
    expect(isAllowedOrigin("https://app.example.com", allowed)).toBe(true);
    expect(isAllowedOrigin("http://app.example.com", allowed)).toBe(false);
    expect(isAllowedOrigin("https://app.example.com:8443", allowed)).toBe(false);
    expect(isAllowedOrigin("https://app.example.com.evil.example", allowed)).toBe(false);
    expect(isAllowedOrigin("https://evil-app.example.com", allowed)).toBe(false);
  });
});

describe("the parent's origin", () => {
  it("is the Origin header's, else the Referer's", () => {
    expect(parentOriginOf(new Headers({ Referer: "https://app.example.com/x?y=1" }))).toBe(
      "https://app.example.com",
    );
    expect(parentOriginOf(new Headers({ Origin: "https://a.example", Referer: "https://b.example/" }))).toBe(
      "https://a.example",
    );
  });

  it("cannot be known from an opaque origin, a malformed referrer, or nothing", () => {
    expect(parentOriginOf(new Headers({ Origin: "null", Referer: "https://b.example/" }))).toBeNull();
    expect(parentOriginOf(new Headers({ Referer: "about:blank" }))).toBeNull();
    expect(parentOriginOf(new Headers({ Referer: "%%%" }))).toBeNull();
    expect(parentOriginOf(new Headers())).toBeNull();
  });
});
