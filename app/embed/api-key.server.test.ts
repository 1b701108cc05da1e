import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createApiKey, hashApiKey, isMistypedApiKey } from "./api-key.server";

describe("an API key", () => {
  it("is pek_, 43 random characters and a checksum of 6", () => {
    const keys = Array.from({ length: 100 }, createApiKey);
    for (const key of keys) expect(key).toMatch(/^pek_[0-9A-Za-z]{49}$/);
    expect(new Set(keys).size).toBe(100);
  });

  it("is known by the SHA-256 of the whole of it, in lowercase hex", () => {
    const key = createApiKey();
    expect(hashApiKey(key)).toBe(createHash("sha256").update(key).digest("hex"));
    expect(hashApiKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });

  it("is refused without a query when one character is wrong", () => {
    const key = createApiKey();
    expect(isMistypedApiKey(key)).toBe(false);
    for (let at = 4; at < key.length; at++) {
      const wrong = key.slice(0, at) + (key[at] === "x" ? "y" : "x") + key.slice(at + 1);
      expect(isMistypedApiKey(wrong)).toBe(true);
    }
  });

  it("has the CRC32 of its random part as its checksum, in base62 with zeros in front", () => {
    // By Python: the digits of binascii.crc32(b"0" * 43) and binascii.crc32(b"A" * 43).
    expect(isMistypedApiKey(`pek_${"0".repeat(43)}2CZclj`)).toBe(false);
    expect(isMistypedApiKey(`pek_${"A".repeat(43)}0DofJ8`)).toBe(false);
  });

  it("of another form may be anybody's: only a query can tell", () => {
    expect(isMistypedApiKey("made-elsewhere")).toBe(false);
    expect(isMistypedApiKey("pek_short")).toBe(false);
  });
});
