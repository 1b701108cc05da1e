import { afterEach, describe, expect, it, vi } from "vitest";
import { embeddingOriginOf, normalizeOrigin, normalizeOrigins } from "./origin";

describe("an origin", () => {
  it.each([
    ["https://app.example.com", "https://app.example.com"],
    ["HTTPS://App.Example.com/", "https://app.example.com"],
    ["https://app.example.com:443", "https://app.example.com"],
    ["http://127.0.0.1:4000", "http://127.0.0.1:4000"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://bu\u0308cher.example", "https://xn--bcher-kva.example"],
    ["https://app.example.com.", "https://app.example.com."],
    ["http://[::1]:4000", "http://[::1]:4000"],
    ["http://[2001:DB8::0:1]", "http://[2001:db8::1]"],
    ["http://localhost:3000", "http://localhost:3000"],
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
  ])("%j is not an origin, or one that nobody can have", (value) => {
    expect(normalizeOrigins([value])).not.toContain("https://app.example.com");
  });

  // Each of these is more, or less, than a scheme, a host and a port. Most of them `new URL` accepts.
  it.each([
    [
      "a wildcard, which a CORS rule would expand",
      ["https://*", "https://*.example.com", "http://a*b.example"],
    ],
    ["what ends a directive of the CSP", ["https://x;sandbox", "https://x,y", "https://x'y", 'https://x"y']],
    [
      "other marks",
      ["https://a_b.example", "https://a$b.example", "https://a!b", "https://(a)", "https://a~b"],
    ],
    ["white space", ["https://a .example", "ht\ttps://a.example"]],
    ["a user", ["https://user@a.example", "https://user:word@a.example", "https://@a.example"]],
    ["a path, query or fragment", ["https://a.example//", "https://a.example/.", "https://a.example?"]],
    ["another way to write a URL", ["https:a.example", "https:///a.example", "https:\\\\a.example"]],
    [
      "letters that look like others",
      ["https://ｅxample.com", "https://example。com", "https://exa\u00admple.com"],
    ],
    [
      "invisible characters",
      ["https://a\u200b.example", "https://a\u2060b.example", "https://\u202ea.example"],
    ],
    ["escapes", ["https://a%2eexample", "https://%61.example"]],
    [
      "an IPv6 zone, or no IPv6",
      ["http://[fe80::1%25eth0]", "http://[fe80::1%eth0]", "http://[x]", "http://::1"],
    ],
    ["a port that is none", ["https://a.example:", "https://a.example:x", "https://a.example:99999"]],
    ["empty labels", ["https://a..example", "https://.a.example", "https://."]],
  ])("is not %s", (_, values) => {
    for (const value of values) expect([value, normalizeOrigin(value)]).toEqual([value, null]);
  });

  it("of a list is kept once, in its normal form, if it is valid", () => {
    expect(normalizeOrigins(["https://*", "https://A.example", "x", "https://a.example:443"])).toEqual([
      "https://a.example",
    ]);
  });
});

describe("the embedding page's origin", () => {
  it("comes from the Origin header, otherwise from Referer", () => {
    expect(embeddingOriginOf(new Headers({ Referer: "https://app.example.com/x?y=1" }))).toBe(
      "https://app.example.com",
    );
    expect(
      embeddingOriginOf(new Headers({ Origin: "https://a.example", Referer: "https://b.example/" })),
    ).toBe("https://a.example");
  });

  it("is unknown with an opaque origin, a malformed referrer, or no header", () => {
    expect(embeddingOriginOf(new Headers({ Origin: "null", Referer: "https://b.example/" }))).toBeNull();
    expect(embeddingOriginOf(new Headers({ Referer: "about:blank" }))).toBeNull();
    expect(embeddingOriginOf(new Headers({ Referer: "%%%" }))).toBeNull();
    expect(embeddingOriginOf(new Headers())).toBeNull();
  });
});

describe("reading an origin", () => {
  afterEach(() => vi.restoreAllMocks());

  /** The number of URLs that are parsed while `work` runs. */
  function parsesOf(work: () => unknown): number {
    const parse = vi.spyOn(URL, "canParse");
    work();
    const { length } = parse.mock.calls;
    parse.mockRestore();
    return length;
  }

  it("parses each of up to 1,000 valid origins once, and keeps no invalid one", async () => {
    vi.resetModules();
    const fresh = await import("./origin");
    const known = () => parsesOf(() => fresh.normalizeOrigin("https://app.example.com"));
    const readOthers = (from: number, count: number) => {
      for (let at = from; at < from + count; at++) fresh.normalizeOrigin(`https://a${at}.example`);
    };
    expect(known()).toBe(1);
    readOthers(0, 999);
    expect(known()).toBe(0);
    const none = () => parsesOf(() => fresh.normalizeOrigin("https://a..example"));
    expect([none(), none()]).toEqual([1, 1]);
    expect(known()).toBe(0);
    readOthers(999, 1_000);
    expect(known()).toBe(1);
  });
});
