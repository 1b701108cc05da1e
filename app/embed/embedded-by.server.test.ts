import { describe, expect, it } from "vitest";
import { EMBEDDED_BY, findEmbeddingOrigin, signEmbeddedBy } from "./embedded-by.server";
import { signValue } from "./signed-value.server";

const secret = "a-secret-of-at-least-thirty-two-bytes";
const origin = "https://app.example.com";
const find = (signed: string | null, headers: Record<string, string> = {}) =>
  findEmbeddingOrigin(new Headers(headers), signed, [secret]);

describe("the embedding page's origin", () => {
  it("is the one that was signed, if the browser sends none", () => {
    expect(find(signEmbeddedBy(origin, secret))).toBe(origin);
    expect(find(null)).toBeNull();
  });

  it("is the one that the browser sends, whatever was signed", () => {
    const signed = signEmbeddedBy(origin, secret);
    expect(find(signed, { Referer: "https://other.example/page" })).toBe("https://other.example");
    expect(find(signed, { Origin: "https://other.example" })).toBe("https://other.example");
    expect(find(signed, { Origin: "null" })).toBeNull();
    expect(find(signed, { Referer: "about:blank" })).toBeNull();
  });

  it("is unknown if somebody else signed it, or for something else, or nobody", () => {
    expect(find(signEmbeddedBy(origin, "another-secret-of-thirty-two-bytes"))).toBeNull();
    expect(find(signValue({ origin }, secret))).toBeNull();
    expect(find(signValue({ origin }, secret, "another purpose"))).toBeNull();
    expect(find(signValue({ origin: 1 }, secret, EMBEDDED_BY))).toBeNull();
    for (const text of [origin, "", "x.y"]) expect(find(text)).toBeNull();
  });
});
