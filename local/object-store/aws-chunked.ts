import { createHash } from "node:crypto";
import type { ChunkSignatures } from "./chunk-signatures";
import { S3Error } from "./errors";

const LONGEST_LINE = 8192;
const MOST_TRAILERS = 16;
/** bytes; of a signed chunk that is not the last */
const SMALLEST_SIGNED_CHUNK = 8192;

export interface ChunkedOptions {
  /** set when every chunk is signed */
  signatures?: ChunkSignatures;
  /** whether headers may follow the last chunk; signed ones end with `x-amz-trailer-signature` */
  trailer: boolean;
}

/**
 * Decodes `aws-chunked`, the way an SDK sends a stream whose hash or checksum it knows only at the end, and puts the
 * trailing headers (names in lower case) into `trailers`. Bytes are handed on before the signature of their chunk is
 * checked: nothing is to be made of them before the whole is through. Throws IncompleteBody, InvalidChunkSizeError and
 * SignatureDoesNotMatch. Source: Amazon S3 API Reference, "Signature calculations for trailing headers".
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
  { signatures, trailer }: ChunkedOptions,
): AsyncGenerator<Buffer> {
  const lines = new LineReader(source);
  let previousSize = Number.POSITIVE_INFINITY;
  for (;;) {
    const header = /^([0-9a-f]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(await lines.readLine());
    const signature = header?.[2] ?? "";
    if (!header || (signatures !== undefined) !== (signature !== "")) throw damaged();
    const size = Number.parseInt(header[1] ?? "", 16);
    if (signatures && size > 0 && previousSize < SMALLEST_SIGNED_CHUNK) {
      throw new S3Error(
        "InvalidChunkSizeError",
        "Only the last chunk is allowed to have a size less than 8192 bytes",
      );
    }
    previousSize = size;
    const hash = signatures && createHash("sha256");
    for await (const part of lines.readBytes(size)) {
      hash?.update(part);
      yield part;
    }
    if (hash) signatures?.checkChunk(hash.digest("hex"), signature);
    if (size === 0) break;
    if ((await lines.readLine()) !== "") throw damaged();
  }
  let signedLines = "";
  for (let line = await lines.readLine(); line !== ""; line = await lines.readLine()) {
    const colon = line.indexOf(":");
    if (!trailer || colon < 1 || trailers.size >= MOST_TRAILERS) throw damaged();
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    trailers.set(name, value);
    if (name !== "x-amz-trailer-signature") signedLines += `${name}:${value}\n`;
  }
  if (signatures && trailer) {
    signatures.checkTrailer(signedLines, trailers.get("x-amz-trailer-signature") ?? "");
  }
  await lines.expectEnd();
}

/** A stream read by lines that end with CR LF, and by numbers of bytes between them. */
class LineReader {
  private readonly incoming: AsyncIterator<Buffer>;
  private buffered: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.incoming = source[Symbol.asyncIterator]();
  }

  async readLine(): Promise<string> {
    for (;;) {
      const end = this.buffered.indexOf("\r\n");
      if (end !== -1) {
        const line = this.buffered.toString("latin1", 0, end);
        this.buffered = this.buffered.subarray(end + 2);
        return line;
      }
      if (this.buffered.length > LONGEST_LINE) throw damaged();
      await this.readMore();
    }
  }

  async *readBytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.buffered.length === 0) await this.readMore();
      const part = this.buffered.subarray(0, left);
      this.buffered = this.buffered.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async expectEnd(): Promise<void> {
    if (this.buffered.length > 0 || !(await this.incoming.next()).done) throw damaged();
  }

  private async readMore(): Promise<void> {
    const next = await this.incoming.next();
    if (next.done) throw damaged();
    this.buffered = this.buffered.length > 0 ? Buffer.concat([this.buffered, next.value]) : next.value;
  }
}

function damaged(): S3Error {
  return new S3Error(
    "IncompleteBody",
    "The request body terminated unexpectedly or is not in aws-chunked encoding.",
  );
}
