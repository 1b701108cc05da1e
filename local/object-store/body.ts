import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ChecksumAlgorithm, checksumHeader } from "../../embed-element/shared/checksums";
import { Crc, crcToBase64 } from "../../embed-element/shared/crc";
import { readAlgorithm } from "./checksums";
import { S3Error } from "./errors";
import { impairRequestBody, type StoreFault } from "./injected-fault";
import type { S3Request } from "./request";

/** of one PUT, one part and one copy */
export const MAX_PUT_BYTES = 5 * 1024 ** 3;
/** a completion lists up to 10,000 parts, each with a number, an ETag and a checksum: less than 3 MiB */
const MAX_DOCUMENT_BYTES = 4 * 1024 ** 2;

/** What is known of bytes after they have been written. */
export interface Digest {
  /** bytes */
  size: number;
  /** hexadecimal */
  md5: string;
  /** `value` is base64 */
  checksum?: { algorithm: ChecksumAlgorithm; value: string };
}

/** Writes a stream, and computes the size, the MD5 and, if asked for, a checksum of its bytes. */
export async function writeAndDigest(
  source: AsyncIterable<Buffer>,
  destination: Writable,
  algorithm: ChecksumAlgorithm | undefined,
  onChunk: (chunk: Buffer, size: number) => void = () => {},
): Promise<Digest> {
  const md5 = createHash("md5");
  const crc = algorithm && new Crc(algorithm);
  let size = 0;
  await pipeline(
    source,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        size += chunk.length;
        md5.update(chunk);
        crc?.update(chunk);
        onChunk(chunk, size);
        yield chunk;
      }
    },
    destination,
  );
  return {
    size,
    md5: md5.digest("hex"),
    ...(algorithm && crc && { checksum: { algorithm, value: crcToBase64(algorithm, crc.value) } }),
  };
}

/** The body of a request. It can be read once, as a stream, and is checked against everything the headers say of it. */
export class RequestBody {
  constructor(
    private readonly request: S3Request,
    /** what was signed in place of the body */
    private readonly payloadHash: string,
    /** called just before reading, to respond to `Expect: 100-continue` */
    private readonly begin: () => void,
    private readonly fault: StoreFault,
  ) {}

  /**
   * Writes the body to what `open` returns, which is not called when the headers alone are wrong. `algorithm` is the
   * checksum to compute even if the request has none. Throws an S3Error when the body is not what the headers say (length,
   * `Content-MD5`, `x-amz-content-sha256`, `x-amz-checksum-*`): what was written must then be thrown away.
   */
  async pipeTo(open: () => Writable, algorithm?: ChecksumAlgorithm): Promise<Digest> {
    const announced = this.checksumAlgorithm();
    if (algorithm && announced && algorithm !== announced) {
      throw new S3Error(
        "InvalidRequest",
        `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${announced.toLowerCase()}`,
      );
    }
    const digest = await this.read(open, algorithm ?? announced);
    if (announced && digest.checksum?.value !== this.request.header(checksumHeader(announced))) {
      throw new S3Error("BadDigest", `The ${announced} you specified did not match the calculated checksum.`);
    }
    return digest;
  }

  /** Reads an XML document. `isAboutObject`: the checksum headers are about an object, and not about the document. */
  async readDocument({ isAboutObject = false } = {}): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    const open = () =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          size += chunk.length;
          const isTooLarge = size > MAX_DOCUMENT_BYTES;
          done(
            isTooLarge
              ? new S3Error("EntityTooLarge", "Your proposed upload exceeds the maximum size")
              : null,
          );
        },
      });
    if (isAboutObject) await this.read(open);
    else await this.pipeTo(open);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** S3 takes bucket settings and lists of keys to delete only with a digest. Throws InvalidRequest. */
  requireDigest(): void {
    if (this.request.header("content-md5") === undefined && this.checksumAlgorithm() === undefined) {
      throw new S3Error("InvalidRequest", "Missing required header for this request: Content-MD5");
    }
  }

  /** The algorithm of the checksum in a header or a query parameter; undefined when there is none. */
  checksumAlgorithm(): ChecksumAlgorithm | undefined {
    const names = this.request
      .amzHeaders()
      .filter((name) => /^x-amz-checksum-(?!algorithm$|type$|mode$)/.test(name));
    const [name, ...more] = new Set(names);
    if (more.length > 0) {
      throw new S3Error(
        "InvalidRequest",
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
      );
    }
    return name === undefined ? undefined : readAlgorithm(name.slice("x-amz-checksum-".length));
  }

  private async read(open: () => Writable, algorithm?: ChecksumAlgorithm): Promise<Digest> {
    this.checkPayloadHash();
    const expectedSize = this.announcedSize();
    const expectedMd5 = this.contentMd5();
    const sha256 = /^[0-9a-f]{64}$/.test(this.payloadHash) ? createHash("sha256") : undefined;

    this.begin();
    const received = impairRequestBody(this.request.raw, this.fault);
    const digest = await writeAndDigest(received, open(), algorithm, (chunk, size) => {
      if (size > expectedSize) throw incomplete();
      sha256?.update(chunk);
    });

    if (digest.size !== expectedSize) throw incomplete();
    if (sha256 && sha256.digest("hex") !== this.payloadHash) {
      throw new S3Error(
        "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    if (expectedMd5 !== undefined && expectedMd5 !== digest.md5) {
      throw new S3Error("BadDigest", "The Content-MD5 you specified did not match what we received.");
    }
    return digest;
  }

  /** Throws NotImplemented for a body in chunks (`aws-chunked`), and InvalidArgument. */
  private checkPayloadHash(): void {
    const hash = this.payloadHash;
    if (/^([0-9a-f]{64}|UNSIGNED-PAYLOAD)$/.test(hash)) return;
    if (hash.startsWith("STREAMING-")) {
      throw new S3Error("NotImplemented", `This store does not support ${hash}.`);
    }
    throw new S3Error(
      "InvalidArgument",
      "x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a valid sha256 value.",
    );
  }

  private announcedSize(): number {
    const text = this.request.header("content-length");
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) {
      throw new S3Error("MissingContentLength", "You must provide the Content-Length HTTP header.");
    }
    if (Number(text) > MAX_PUT_BYTES) {
      throw new S3Error("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size", {
        MaxSizeAllowed: String(MAX_PUT_BYTES),
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
