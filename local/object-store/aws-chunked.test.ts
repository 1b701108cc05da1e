import { createHash, createHmac } from "node:crypto";
import { GetObjectCommand } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeAwsChunked } from "./aws-chunked";
import { startDigest } from "./checksums";
import { ChunkSignatures } from "./chunk-signatures";
import { BUCKET, CREDENTIALS, sendRaw, signRaw, startStoreForTests } from "./store-for-tests";

const PLAIN = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const WITH_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";

let store: Awaited<ReturnType<typeof startStoreForTests>>;

beforeAll(async () => {
  store = await startStoreForTests();
});
afterAll(() => store?.close());

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

function signingKey(secret: string, date: string, region: string): Buffer {
  return hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), "s3"), "aws4_request");
}

function crc32(text: string): string {
  const digest = startDigest("CRC32");
  digest.update(Buffer.from(text));
  return digest.digest().toString("base64");
}

describe("the example of Amazon's documentation", () => {
  const SCOPE = "20130524/us-east-1/s3/aws4_request";
  const key = signingKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "20130524", "us-east-1");

  async function decode(seed: string, signatures: string[], trailing?: { signature: string }) {
    const [first = "", second = "", last = ""] = signatures;
    const encoded = [
      `10000;chunk-signature=${first}\r\n${"a".repeat(65536)}\r\n`,
      `400;chunk-signature=${second}\r\n${"a".repeat(1024)}\r\n`,
      `0;chunk-signature=${last}\r\n`,
      trailing ? `x-amz-checksum-crc32c:sOO8/Q==\r\nx-amz-trailer-signature:${trailing.signature}\r\n` : "",
      "\r\n",
    ];
    async function* source() {
      for (const part of encoded) yield Buffer.from(part);
    }
    let size = 0;
    const chunks = decodeAwsChunked(source(), new Map(), {
      signatures: new ChunkSignatures(key, "20130524T000000Z", SCOPE, seed),
      trailer: trailing !== undefined,
    });
    for await (const chunk of chunks) size += chunk.length;
    return size;
  }

  // Amazon S3 API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks".
  const SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
  const CHUNKS = [
    "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
    "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
    "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
  ];

  it("holds", async () => {
    expect(await decode(SEED, CHUNKS)).toBe(66560);
  });

  it.each([0, 1, 2])("holds no more when the signature of chunk %i is another", async (position) => {
    const signatures = CHUNKS.map((signature, index) =>
      index === position ? signature.replace(/.$/, signature.endsWith("0") ? "1" : "0") : signature,
    );
    await expect(decode(SEED, signatures)).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
  });

  it("holds with a trailer", async () => {
    // The same reference, "Signature calculations for trailing headers".
    const seed = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
    const signatures = [
      "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2",
      "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7",
      "2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
    ];
    const signature = "d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435";
    expect(await decode(seed, signatures, { signature })).toBe(66560);
    const other = { signature: signature.replace("d", "e") };
    await expect(decode(seed, signatures, other)).rejects.toMatchObject({ code: "SignatureDoesNotMatch" });
  });
});

interface Tampering {
  chunk?: (text: string, position: number) => string;
  trailer?: (text: string) => string;
}

/** Sends the chunks, each signed, as an SDK that cannot hash its stream beforehand. `tamper` changes them afterwards. */
async function putSigned(key: string, chunks: string[], hash: string, tamper: Tampering = {}) {
  const headers: Record<string, string> = {
    "x-amz-content-sha256": hash,
    "x-amz-decoded-content-length": String(chunks.join("").length),
    "content-encoding": "aws-chunked",
    ...(hash === WITH_TRAILER && { "x-amz-trailer": "x-amz-checksum-crc32" }),
  };
  const placeholder = encode(chunks, "0".repeat(64), "20260101T000000Z", hash, tamper);
  const signed = await signRaw(store.endpoint, {
    method: "PUT",
    path: `/${BUCKET}/${key}`,
    headers,
    body: placeholder,
  });
  const seed = /Signature=([0-9a-f]{64})/.exec(signed.headers.authorization ?? "")?.[1] ?? "";
  const body = encode(chunks, seed, signed.headers["x-amz-date"] ?? "", hash, tamper);
  return sendRaw(store.endpoint, { ...signed, body });
}

function encode(
  chunks: string[],
  seed: string,
  date: string,
  hash: string,
  { chunk: tamperChunk = (text) => text, trailer: tamperTrailer = (text) => text }: Tampering,
): string {
  const { region, secretAccessKey } = CREDENTIALS;
  const scope = `${date.slice(0, 8)}/${region}/s3/aws4_request`;
  const key = signingKey(secretAccessKey, date.slice(0, 8), region);
  let previous = seed;
  const sign = (algorithm: string, ...hashes: string[]) => {
    previous = hmac(key, [algorithm, date, scope, previous, ...hashes].join("\n")).toString("hex");
    return previous;
  };
  const encoded = [...chunks, ""].map((chunk, position) => {
    const signature = sign("AWS4-HMAC-SHA256-PAYLOAD", sha256(""), sha256(chunk));
    const bytes = chunk === "" ? "" : `${tamperChunk(chunk, position)}\r\n`;
    return `${chunk.length.toString(16)};chunk-signature=${signature}\r\n${bytes}`;
  });
  if (hash === PLAIN) return `${encoded.join("")}\r\n`;
  const line = `x-amz-checksum-crc32:${crc32(chunks.join(""))}`;
  const signature = sign("AWS4-HMAC-SHA256-TRAILER", sha256(`${line}\n`));
  return `${encoded.join("")}${tamperTrailer(line)}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`;
}

describe.each([PLAIN, WITH_TRAILER])("an upload as %s", (hash) => {
  const chunks = ["a".repeat(8192), "b".repeat(9000), "the end"];

  it("is stored decoded", async () => {
    expect((await putSigned("signed", chunks, hash)).status).toBe(200);
    const answer = await store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "signed" }));
    expect(await answer.Body?.transformToString()).toBe(chunks.join(""));
    expect(answer.ContentEncoding).toBeUndefined();
    expect(answer.ChecksumCRC32).toBe(hash === PLAIN ? undefined : crc32(chunks.join("")));
  });

  it.each([0, 1, 2])("is refused, and not stored, when chunk %i was changed on the way", async (changed) => {
    const chunk = (text: string, position: number) => (position === changed ? `x${text.slice(1)}` : text);
    expect(await putSigned("tampered", chunks, hash, { chunk })).toMatchObject({
      status: 403,
      code: "SignatureDoesNotMatch",
    });
    const missing = store.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: "tampered" }));
    await expect(missing).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("is refused with small chunks, each of which would cost a signature", async () => {
    expect(await putSigned("small", ["a", "b", "c"], hash)).toMatchObject({
      status: 403,
      code: "InvalidChunkSizeError",
    });
  });
});

it("a trailer that was changed on the way is refused", async () => {
  const trailer = (line: string) => line.replace(/:./, ":/");
  expect(await putSigned("trailer", ["the body"], WITH_TRAILER, { trailer })).toMatchObject({
    status: 403,
    code: "SignatureDoesNotMatch",
  });
});

it("chunks without a signature are refused where each is to have one", async () => {
  const body = "8\r\nthe body\r\n0\r\n\r\n";
  const headers = { "x-amz-content-sha256": PLAIN, "x-amz-decoded-content-length": "8" };
  const request = await signRaw(store.endpoint, { method: "PUT", path: `/${BUCKET}/bare`, headers, body });
  expect(await sendRaw(store.endpoint, request)).toMatchObject({ status: 400, code: "IncompleteBody" });
});
