import { createHash } from "node:crypto";
import { Receiver } from "@upstash/qstash";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AppError } from "../shared/app-error";
import { verifyQueueSignature } from "./verify-queue-signature.server";

const CURRENT: string = "sig_current_5Yw2kDq1vXr8mZtB";
const NEXT: string = "sig_next_9Ub4nHs7cJf3gPeL";
const URL = "https://api.example.com/api/queue/send-email";
const NOW = Math.floor(Date.now() / 1000);
const BODY = Buffer.from('{"campaignId":"spring","recipient":{"email":"zoë@example.com"}}');

const hashOf = (body: Uint8Array) => createHash("sha256").update(body).digest("base64url");
const padded = (hash: string) => hash.padEnd(Math.ceil(hash.length / 4) * 4, "=");

const claims = {
  iss: "Upstash",
  sub: URL,
  iat: NOW,
  nbf: NOW,
  exp: NOW + 300,
  jti: "jwt_1",
  body: hashOf(BODY),
};

const sign = (changes: JWTPayload = {}, key = CURRENT, alg = "HS256") => {
  const payload = Object.fromEntries(
    Object.entries({ ...claims, ...changes }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(payload).setProtectedHeader({ alg, typ: "JWT" }).sign(Buffer.from(key));
};

async function ourVerdict(token: string | null, body: Uint8Array = BODY, keys = [CURRENT, NEXT] as const) {
  try {
    const headers = new Headers(token === null ? {} : { "Queue-Signature": token });
    const signature = await verifyQueueSignature(headers, { signingKeys: keys, url: URL, nowSeconds: NOW });
    signature.checkBody(body);
    return "accepted";
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: "invalid_signature" });
    return "refused";
  }
}

async function oraclesVerdict(
  token: string | null,
  body: Uint8Array = BODY,
  keys = [CURRENT, NEXT] as const,
) {
  const receiver = new Receiver({ currentSigningKey: keys[0], nextSigningKey: keys[1] });
  const text = Buffer.from(body).toString();
  try {
    await receiver.verify({ signature: token ?? "", body: text, url: URL, clockTolerance: 5 });
    return "accepted";
  } catch {
    return "refused";
  }
}

interface Case {
  name: string;
  token: () => Promise<string | null> | string | null;
  body?: Uint8Array;
  keys?: readonly [string, string];
  ours: "accepted" | "refused";
  /** why we judge otherwise than QStash's own receiver; without it we must agree */
  differs?: string;
}

const tampered = async () => {
  const [header, , mac] = (await sign()).split(".");
  const payload = Buffer.from(JSON.stringify({ ...claims, jti: "jwt_2" })).toString("base64url");
  return `${header}.${payload}.${mac}`;
};

const cases: Case[] = [
  { name: "the current key", token: () => sign(), ours: "accepted" },
  { name: "the next key", token: () => sign({}, NEXT), ours: "accepted" },
  {
    name: "the next key, after it became the current one",
    token: () => sign({}, NEXT),
    keys: [NEXT, "sig_new"],
    ours: "accepted",
  },
  { name: "both keys rotated since", token: () => sign(), keys: [NEXT, "sig_new"], ours: "refused" },
  { name: "the same message again (a replay), within its life", token: () => sign(), ours: "accepted" },
  { name: "another key", token: () => sign({}, "sig_other"), ours: "refused" },
  { name: "no signature", token: () => null, ours: "refused" },
  { name: "an empty signature", token: () => "", ours: "refused" },
  { name: "no JWT", token: () => "a.b.c", ours: "refused" },
  { name: "a payload changed after signing", token: tampered, ours: "refused" },
  { name: "expired", token: () => sign({ exp: NOW - 60, nbf: NOW - 120 }), ours: "refused" },
  { name: "expired 3 seconds ago (clocks differ)", token: () => sign({ exp: NOW - 3 }), ours: "accepted" },
  { name: "not yet valid", token: () => sign({ nbf: NOW + 60 }), ours: "refused" },
  { name: "valid in 3 seconds (clocks differ)", token: () => sign({ nbf: NOW + 3 }), ours: "accepted" },
  {
    name: "no exp",
    token: () => sign({ exp: undefined }),
    ours: "refused",
    differs: "one message that leaked could be replayed indefinitely; the queue always sets it",
  },
  {
    name: "no nbf",
    token: () => sign({ nbf: undefined }),
    ours: "refused",
    differs: "the queue always sets it, so its absence says that somebody else made the token",
  },
  { name: "no sub", token: () => sign({ sub: undefined }), ours: "refused" },
  {
    name: "another URL",
    token: () => sign({ sub: "https://api.example.com/api/queue/other" }),
    ours: "refused",
  },
  { name: "the URL with a slash more", token: () => sign({ sub: `${URL}/` }), ours: "refused" },
  {
    name: "HS384",
    token: () => sign({}, CURRENT, "HS384"),
    ours: "refused",
    differs: "the scheme is HS256; an algorithm that is never used is only there for attackers",
  },
  { name: "HS512", token: () => sign({}, CURRENT, "HS512"), ours: "refused", differs: "as HS384" },
  { name: "alg none", token: () => new UnsecuredJWT(claims).encode(), ours: "refused" },
  { name: "another body", token: () => sign(), body: Buffer.from("{}"), ours: "refused" },
  { name: "another body hash", token: () => sign({ body: hashOf(Buffer.from("{}")) }), ours: "refused" },
  { name: "a padded hash", token: () => sign({ body: padded(hashOf(BODY)) }), ours: "accepted" },
  {
    name: "a hash padded once more",
    token: () => sign({ body: `${padded(hashOf(BODY))}=` }),
    ours: "accepted",
  },
  { name: "a hash with padding in it", token: () => sign({ body: `=${hashOf(BODY)}` }), ours: "refused" },
  {
    name: "a hash in hex",
    token: () => sign({ body: createHash("sha256").update(BODY).digest("hex") }),
    ours: "refused",
  },
  { name: "no hash", token: () => sign({ body: undefined }), ours: "refused" },
  { name: "a hash that is not a string", token: () => sign({ body: 1 }), ours: "refused" },
  { name: "an empty hash", token: () => sign({ body: "" }), ours: "refused" },
  {
    name: "an empty body, signed",
    token: () => sign({ body: hashOf(Buffer.alloc(0)) }),
    body: Buffer.alloc(0),
    ours: "accepted",
  },
  {
    name: "an empty body with the hash of another",
    token: () => sign(),
    body: Buffer.alloc(0),
    ours: "refused",
  },
  {
    name: "bytes that are not UTF-8, signed as they are",
    token: () => sign({ body: hashOf(Buffer.from([0xff, 0xfe])) }),
    body: Buffer.from([0xff, 0xfe]),
    ours: "accepted",
    differs: "it hashes text, and decoding has changed the bytes by then; they are refused later, as no JSON",
  },
  {
    name: "another issuer",
    token: () => sign({ iss: "Queue" }),
    ours: "accepted",
    differs: "the scheme has other implementations; whoever has the key could write any issuer",
  },
  {
    name: "no issuer",
    token: () => sign({ iss: undefined }),
    ours: "accepted",
    differs: "as another issuer",
  },
];

// The oracle reads the clock. It is the moment for which the tokens are made.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW * 1000 }));
afterEach(() => void vi.useRealTimers());

describe("the queue's signature", () => {
  it.each(cases)("$ours: $name", async ({ token, body, keys, ours, differs }) => {
    const given = await token();
    expect(await ourVerdict(given, body, keys)).toBe(ours);
    const oracles = await oraclesVerdict(given, body, keys);
    expect(oracles === ours ? "agrees" : "differs").toBe(differs === undefined ? "agrees" : "differs");
  });

  it("is found under either header", async () => {
    const headers = new Headers({ "Upstash-Signature": await sign() });
    const settings = { signingKeys: [CURRENT, NEXT], url: URL, nowSeconds: NOW } as const;
    const signature = await verifyQueueSignature(headers, settings);
    expect(() => signature.checkBody(BODY)).not.toThrow();
  });

  it("tells the log of each key what was wrong with it, and of the body that it is another", async () => {
    const verify = (headers: HeadersInit) =>
      verifyQueueSignature(new Headers(headers), { signingKeys: [CURRENT, NEXT], url: URL, nowSeconds: NOW });
    const signature = await verify({ "Queue-Signature": await sign() });
    expect(() => signature.checkBody(Buffer.from("{}"))).toThrow(
      expect.objectContaining({ logDetail: "the body is not the one that was signed" }),
    );
    await expect(verify({})).rejects.toMatchObject({ logDetail: "no signature header" });
    await expect(verify({ "Queue-Signature": await sign({}, NEXT.slice(1)) })).rejects.toMatchObject({
      logDetail:
        "ERR_JWS_SIGNATURE_VERIFICATION_FAILED: signature verification failed; " +
        "ERR_JWS_SIGNATURE_VERIFICATION_FAILED: signature verification failed",
    });
  });

  it("does not take a defect of its own for a wrong signature", async () => {
    const headers = new Headers({ "Queue-Signature": await sign() });
    const signingKeys = [undefined as unknown as string, NEXT] as const;
    await expect(verifyQueueSignature(headers, { signingKeys, url: URL, nowSeconds: NOW })).rejects.toThrow(
      TypeError,
    );
  });

  it("tells the caller nothing of what is wrong, and the log everything but the token", async () => {
    const token = await sign({ sub: "https://elsewhere.example" });
    const failure = await verifyQueueSignature(new Headers({ "Queue-Signature": token }), {
      signingKeys: [CURRENT, NEXT],
      url: URL,
      nowSeconds: NOW,
    }).catch((error: AppError) => error);
    expect(failure).toMatchObject({ message: "The signature of this message is missing or not valid." });
    const detail = failure instanceof AppError ? failure.logDetail : "";
    expect(detail).toMatch(/sub/);
    expect(detail).not.toContain(token);
    expect(detail).not.toContain(CURRENT);
  });
});
