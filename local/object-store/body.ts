import { createHash } from "node:crypto";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { decodeAwsChunked, STREAMING_UNSIGNED } from "./aws-chunked";
import { S3Error } from "./errors";
import { type Fault, impair } from "./fault";
import type { S3Request } from "./request";

export interface Received {
  /** bytes */
  size: number;
  /** hex */
  md5: string;
}

const LARGEST_PUT = 5 * 1024 ** 3;
const LARGEST_DOCUMENT = 1024 ** 2;
const CHECKSUMS: Record<string, () => Digest> = {
  "x-amz-checksum-crc32": crc32Digest,
  "x-amz-checksum-sha1": () => createHash("sha1"),
  "x-amz-checksum-sha256": () => createHash("sha256"),
};

interface Digest {
  update(chunk: Buffer): unknown;
  digest(encoding: "base64"): string;
}

/** The body of a request, read at most once, as a stream, and checked against everything the request says of it. */
export class RequestBody {
  constructor(
    private readonly request: S3Request,
    /** what `authenticate` found signed */
    private readonly payloadHash: string,
    /** called just before reading: the moment to ask for the body of an `Expect: 100-continue` */
    private readonly begin: () => void,
    /** what a test injected */
    private readonly fault: Fault = {},
  ) {}

  /**
   * Writes the body to what `open` makes, which is not called when the announcements alone are wrong. Throws S3Error when
   * the body is not what was announced (length, `Content-MD5`, `x-amz-content-sha256`, `x-amz-checksum-*`); what was
   * written must then be thrown away.
   */
  async pipeTo(open: () => Writable): Promise<Received> {
    const streaming = this.isStreaming();
    const expectedSize = this.announcedSize(streaming);
    const expectedMd5 = this.contentMd5();
    const trailers = new Map<string, string>();
    const checksumName = this.checksumName();
    const checksum = checksumName === undefined ? undefined : CHECKSUMS[checksumName]?.();
    const md5 = createHash("md5");
    const sha256 = /^[0-9a-f]{64}$/.test(this.payloadHash) ? createHash("sha256") : undefined;
    let size = 0;

    this.begin();
    await pipeline(
      impair(this.request.raw, this.fault),
      (source: AsyncIterable<Buffer>) => (streaming ? decodeAwsChunked(source, trailers) : source),
      async function* (source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          size += chunk.length;
          if (size > expectedSize) throw incomplete();
          for (const digest of [md5, sha256, checksum]) digest?.update(chunk);
          yield chunk;
        }
      },
      open(),
    );

    if (size !== expectedSize) throw incomplete();
    if (sha256 && sha256.digest("hex") !== this.payloadHash) {
      throw new S3Error(
        "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    const md5Hex = md5.digest("hex");
    if (expectedMd5 !== undefined && expectedMd5 !== md5Hex) {
      throw new S3Error("BadDigest", "The Content-MD5 you specified did not match what we received.");
    }
    if (checksumName !== undefined && checksum) {
      const expected = this.request.header(checksumName) ?? trailers.get(checksumName);
      if (checksum.digest("base64") !== expected) {
        throw new S3Error(
          "BadDigest",
          `The ${checksumName.slice("x-amz-checksum-".length).toUpperCase()} you specified did not match the calculated checksum.`,
        );
      }
    }
    return { size, md5: md5Hex };
  }

  /** The body of a request that carries an XML document, at most 1 MiB. */
  async readDocument(): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    await this.pipeTo(
      () =>
        new Writable({
          write(chunk: Buffer, _encoding, done) {
            chunks.push(chunk);
            size += chunk.length;
            done(
              size > LARGEST_DOCUMENT
                ? new S3Error("EntityTooLarge", "The document is larger than 1 MiB.")
                : null,
            );
          },
        }),
    );
    return Buffer.concat(chunks).toString("utf8");
  }

  /** S3 wants these operations guarded against a damaged body. Throws InvalidRequest. */
  requireDigest(): void {
    if (this.request.header("content-md5") === undefined && this.checksumName() === undefined) {
      throw new S3Error("InvalidRequest", "Missing required header for this request: Content-MD5");
    }
  }

  private isStreaming(): boolean {
    if (/^([0-9a-f]{64}|UNSIGNED-PAYLOAD)$/.test(this.payloadHash)) return false;
    if (this.payloadHash === STREAMING_UNSIGNED) return true;
    if (this.payloadHash.startsWith("STREAMING-")) {
      throw new S3Error("NotImplemented", `This store does not take ${this.payloadHash}.`);
    }
    throw new S3Error(
      "InvalidArgument",
      "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.",
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

  /** Header, query parameter or announced trailer that holds the checksum; undefined when there is none. */
  private checksumName(): string | undefined {
    const { raw, query } = this.request;
    const names = [
      ...Object.keys(raw.headers),
      ...[...query.keys()].map((name) => name.toLowerCase()),
      this.request.header("x-amz-trailer") ?? "",
    ].filter((name) => /^x-amz-checksum-(?!algorithm$|type$|mode$)/.test(name));
    const [name, ...more] = new Set(names);
    if (more.length > 0) {
      throw new S3Error(
        "InvalidRequest",
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.",
      );
    }
    if (name !== undefined && !(name in CHECKSUMS)) {
      throw new S3Error("NotImplemented", `This store does not know ${name}: use CRC32, SHA1 or SHA256.`);
    }
    return name;
  }
}

function incomplete(): S3Error {
  return new S3Error(
    "IncompleteBody",
    "You did not provide the number of bytes specified by the Content-Length HTTP header.",
  );
}

function crc32Digest(): Digest {
  let value = 0;
  return {
    update(chunk) {
      value = crc32(chunk, value);
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes.toString("base64");
    },
  };
}
