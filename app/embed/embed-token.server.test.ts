import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EmbedTokenPayload, signEmbedToken, verifyEmbedToken } from "./embed-token.server";

const secret = "a-secret-of-at-least-thirty-two-bytes";
const payload: EmbedTokenPayload = {
  cid: "client",
  companyId: "company",
  svc: "files",
  scope: { bucket: "demo" },
  origins: ["https://app.example.com"],
  iat: 1000,
  exp: 1900,
};
const refusalOf = (token: string, { secrets = [secret], now = 1000 } = {}) => {
  try {
    verifyEmbedToken(token, secrets, now);
    return "accepted";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("an embed token", () => {
  it("is base64url(payload).base64url(hmac_sha256(payload, secret)), the MAC over the bytes that are encoded", () => {
    const [first, second] = signEmbedToken(payload, secret).split(".");
    const bytes = Buffer.from(String(first), "base64url");
    expect(JSON.parse(bytes.toString())).toEqual(payload);
    expect(second).toBe(createHmac("sha256", secret).update(bytes).digest("base64url"));
  });

  it("says what was signed, until the second of its expiry", () => {
    const token = signEmbedToken(payload, secret);
    expect(verifyEmbedToken(token, [secret], 1899)).toEqual(payload);
    expect(() => verifyEmbedToken(token, [secret], 1900)).toThrow(
      expect.objectContaining({
        code: "token_expired",
        message: "The embed token has expired. Ask your backend for a new one.",
      }),
    );
  });

  it("still counts when its secret is the previous one", () => {
    const token = signEmbedToken(payload, secret);
    expect(verifyEmbedToken(token, ["the-new-secret", secret], 1000)).toEqual(payload);
  });

  it("is invalid, not expired, when it is both", () => {
    expect(refusalOf(signEmbedToken(payload, "another"), { now: 5000 })).toBe("invalid_token");
  });

  it.each<[string, () => string]>([
    ["nothing", () => ""],
    ["a word", () => "token"],
    ["no payload", () => `.${signEmbedToken(payload, secret).split(".")[1]}`],
    ["an empty payload, signed", () => signBytes("")],
    ["no signature", () => Buffer.from("{}").toString("base64url")],
    ["an empty signature", () => `${Buffer.from("{}").toString("base64url")}.`],
    ["a third part", () => `${signEmbedToken(payload, secret)}.x`],
    ["padding", () => `${signEmbedToken(payload, secret)}=`],
    ["white space around it", () => ` ${signEmbedToken(payload, secret)}`],
    [
      "standard base64 letters",
      () => toStandardBase64(signEmbedToken({ ...payload, cid: "??>>~~" }, secret)),
    ],
    ["an endless length", () => "a".repeat(1_000_000)],
    ["one character more than the longest has", () => signedOfLength(32_771)],
  ])("is called malformed with %s", (_, token) => {
    expect(() => verifyEmbedToken(token(), [secret], 1000)).toThrow(
      expect.objectContaining({
        code: "invalid_token",
        message: "The embed token is malformed. Send the parameter t of an issued URL, unchanged.",
      }),
    );
  });

  it.each<[string, () => string]>([
    ["another secret", () => signEmbedToken(payload, "another")],
    ["a signed payload that is no JSON", () => signBytes("not json")],
    ["a signed payload of another shape", () => signBytes(JSON.stringify({ ...payload, exp: "later" }))],
  ])("is refused with %s", (_, token) => {
    expect(() => verifyEmbedToken(token(), [secret], 1000)).toThrow(
      expect.objectContaining({
        code: "invalid_token",
        message: "The embed token is not valid: it was changed, or signed with another secret.",
      }),
    );
  });

  it("may be 32,768 characters long", () => {
    expect(refusalOf(signedOfLength(32_768))).toBe("accepted");
  });

  it("is refused when any one character is changed, left out or added", () => {
    const token = signEmbedToken(payload, secret);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ";
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom(...alphabet),
        fc.constantFrom("change", "drop", "add"),
        (at, character, how) => {
          const middle = { change: character, drop: "", add: character + token[at] }[how];
          const forged = token.slice(0, at) + middle + token.slice(at + 1);
          fc.pre(forged !== token);
          expect(refusalOf(forged)).toBe("invalid_token");
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("never carries another payload under the same signature", () => {
    const token = signEmbedToken(payload, secret);
    const signature = token.split(".")[1];
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(refusalOf(`${Buffer.from(json).toString("base64url")}.${signature}`)).toBe("invalid_token");
      }),
    );
  });

  it("comes back whole, whatever strings it holds", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.array(fc.webUrl()), (bucket, origins) => {
        const sent = { ...payload, scope: { bucket }, origins };
        expect(verifyEmbedToken(signEmbedToken(sent, secret), [secret], 1000)).toEqual(sent);
      }),
    );
  });
});

function signBytes(text: string): string {
  const mac = createHmac("sha256", secret).update(text).digest("base64url");
  return `${Buffer.from(text).toString("base64url")}.${mac}`;
}

/** Three bytes of the payload are four characters of the first part; the signature has 43, and a dot. */
function signedOfLength(length: number): string {
  const bytesLeft = Math.floor(((length - 44) * 3) / 4) - JSON.stringify({ ...payload, cid: "" }).length;
  const token = signEmbedToken({ ...payload, cid: "c".repeat(bytesLeft) }, secret);
  expect(token).toHaveLength(length);
  return token;
}

function toStandardBase64(token: string): string {
  const standard = token.replaceAll("-", "+").replaceAll("_", "/");
  expect(standard).not.toBe(token);
  return standard;
}
