import { createHash, createHmac } from "node:crypto";
import { equalTexts } from "../sigv4";
import { S3Error } from "./errors";

const EMPTY_HASH = createHash("sha256").digest("hex");

/**
 * Signatures of the chunks of one body, each of which covers the one before it, the first that of the request. Amazon S3
 * API Reference, "Signature Calculations for the Authorization Header: Transferring Payload in Multiple Chunks", and
 * "Signature calculations for trailing headers".
 */
export class ChunkSignatures {
  constructor(
    private readonly key: Uint8Array,
    /** `yyyymmddThhmmssZ` */
    private readonly longDate: string,
    /** `yyyymmdd/<region>/s3/aws4_request` */
    private readonly scope: string,
    private previous: string,
  ) {}

  /** `hash`: hex SHA-256 of the chunk's bytes. Throws SignatureDoesNotMatch. */
  checkChunk(hash: string, signature: string): void {
    this.check("AWS4-HMAC-SHA256-PAYLOAD", [EMPTY_HASH, hash], signature);
  }

  /** `lines`: the trailing headers, `name:value\n` each. Throws SignatureDoesNotMatch. */
  checkTrailer(lines: string, signature: string): void {
    this.check("AWS4-HMAC-SHA256-TRAILER", [createHash("sha256").update(lines).digest("hex")], signature);
  }

  private check(algorithm: string, hashes: string[], signature: string): void {
    const text = [algorithm, this.longDate, this.scope, this.previous, ...hashes].join("\n");
    const expected = createHmac("sha256", this.key).update(text).digest("hex");
    if (!equalTexts(expected, signature)) throw signatureDoesNotMatch();
    this.previous = expected;
  }
}

export function signatureDoesNotMatch(): S3Error {
  return new S3Error(
    "SignatureDoesNotMatch",
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
  );
}
