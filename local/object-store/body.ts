import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SignedPayload } from "./authenticate";
import { type ChunkedOptions, decodeAwsChunked } from "./aws-chunked";
import { type ChecksumAlgorithm, checksumHeader, readAlgorithm } from "./checksums";
import { S3Error } from "./errors";
import { impair, type StoreFault } from "./injected-fault";
import type { S3Request } from "./request";
import { type Received, Tally } from "./tally";

/** bytes; of one PUT, one part, and one copy */
export const LARGEST_PUT = 5 * 1024 ** 3;
const LARGEST_DOCUMENT = 1024 ** 2;

/** The body of a request, read at most once, as a stream, and checked against everything the request says of it. */
export class RequestBody {
  constructor(
    private readonly request: S3Request,
    /** what `authenticate` found signed */
    private readonly payload: SignedPayload,
    /** called just before reading: the moment to ask for the body of an `Expect: 100-continue` */
    private readonly begin: () => void,
    /** what a test injected */
    private readonly fault: StoreFault = {},
  ) {}

  /**
   * Writes the body to what `open` makes, which is not called when the announcements alone are wrong. `algorithm` is worked
   * out even if the request brings no checksum. Throws S3Error when the body is not what was announced (length,
   * `Content-MD5`, `x-amz-content-sha256`, `x-amz-checksum-*`); what was written must then be thrown away.
   */
  async pipeTo(open: () => Writable, algorithm?: ChecksumAlgorithm): Promise<Received> {
    const announced = this.checksumAlgorithm();
    if (algorithm && announced && algorithm !== announced) {
      throw new S3Error(
        "InvalidRequest",
        `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${announced.toLowerCase()}`,
      );
    }
    const trailers = new Map<string, string>();
    const received = await this.read(open, new Tally(algorithm ?? announced), trailers);
    if (announced) {
      const name = checksumHeader(announced);
      if (received.checksum?.value !== (this.request.header(name) ?? trailers.get(name))) {
        throw new S3Error(
          "BadDigest",
          `The ${announced} you specified did not match the calculated checksum.`,
        );
      }
    }
    return received;
  }

  /**
   * The body of a request that carries an XML document, of at most so many bytes. `ofObject`: its checksum headers are
   * about an object, not about the document.
   */
  async readDocument({ limit = LARGEST_DOCUMENT, ofObject = false } = {}): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    const open = () =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          size += chunk.length;
          const large = new S3Error("EntityTooLarge", `The document is larger than ${limit} bytes.`);
          done(size > limit ? large : null);
        },
      });
    if (ofObject) await this.read(open, new Tally(), new Map());
    else await this.pipeTo(open);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** S3 wants these operations guarded against a damaged body. Throws InvalidRequest. */
  requireDigest(): void {
    if (this.request.header("content-md5") === undefined && this.checksumAlgorithm() === undefined) {
      throw new S3Error("InvalidRequest", "Missing required header for this request: Content-MD5");
    }
  }

  /** The algorithm of the checksum in a header, query parameter or announced trailer; undefined when there is none. */
  checksumAlgorithm(): ChecksumAlgorithm | undefined {
    const { raw, query } = this.request;
    const names = [
      ...Object.keys(raw.headers),
      ...[...query.keys()].map((name) => name.toLowerCase()),
      (this.request.header("x-amz-trailer") ?? "").toLowerCase(),
    ].filter((name) => /^x-amz-checksum-(?!algorithm$|type$|mode$)/.test(name));
    const [name, ...more] = new Set(names);
    if (more.length > 0) {
      throw new S3Error(
        "InvalidRequest",
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
      );
    }
    return name === undefined ? undefined : readAlgorithm(name.slice("x-amz-checksum-".length));
  }

  private async read(open: () => Writable, tally: Tally, trailers: Map<string, string>): Promise<Received> {
    const chunked = this.chunkedOptions();
    const expectedSize = this.announcedSize(chunked !== undefined);
    const expectedMd5 = this.contentMd5();
    const sha256 = chunked === undefined && this.payload.hash !== "UNSIGNED-PAYLOAD" && createHash("sha256");

    this.begin();
    await pipeline(
      impair(this.request.raw, this.fault),
      (source: AsyncIterable<Buffer>) => (chunked ? decodeAwsChunked(source, trailers, chunked) : source),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          tally.update(chunk);
          if (tally.size > expectedSize) throw incomplete();
          if (sha256) sha256.update(chunk);
          yield chunk;
        }
      },
      open(),
    );

    const received = tally.finish();
    if (received.size !== expectedSize) throw incomplete();
    if (sha256 && sha256.digest("hex") !== this.payload.hash) {
      throw new S3Error(
        "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    if (expectedMd5 !== undefined && expectedMd5 !== received.md5) {
      throw new S3Error("BadDigest", "The Content-MD5 you specified did not match what we received.");
    }
    return received;
  }

  /** How the body is cut into chunks; undefined when it is not. */
  private chunkedOptions(): ChunkedOptions | undefined {
    const { hash, signatures } = this.payload;
    switch (hash) {
      case "STREAMING-UNSIGNED-PAYLOAD-TRAILER":
        return { trailer: true };
      case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD":
        return { signatures, trailer: false };
      case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER":
        return { signatures, trailer: true };
    }
    if (/^([0-9a-f]{64}|UNSIGNED-PAYLOAD)$/.test(hash)) return undefined;
    if (hash.startsWith("STREAMING-")) {
      throw new S3Error("NotImplemented", `This store does not take ${hash}.`);
    }
    throw new S3Error(
      "InvalidArgument",
      "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER or a valid sha256 value.",
    );
  }

  private announcedSize(streaming: boolean): number {
    const text = this.request.header(streaming ? "x-amz-decoded-content-length" : "content-length");
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) {
      throw new S3Error("MissingContentLength", "You must provide the Content-Length HTTP header.");
    }
    if (Number(text) > LARGEST_PUT) {
      throw new S3Error("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size", {
        MaxSizeAllowed: String(LARGEST_PUT),
      });
    }
    return Number(text);
  }

  private contentMd5(): string | undefined {
    const text = this.request.header("content-md5");
    if (text === undefined) return undefined;
    const bytes = Buffer.from(text, "base64");
    if (bytes.length !== 16 || bytes.toString("base64") !== text) {
      throw new S3Error("InvalidDigest", "The Content-MD5 you specified is not valid.");
    }
    return bytes.toString("hex");
  }
}

function incomplete(): S3Error {
  return new S3Error(
    "IncompleteBody",
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
  );
}
