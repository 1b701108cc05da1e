import { S3Error } from "./errors";

const MAX_LINE_BYTES = 8192;
const MAX_TRAILERS = 16;

/**
 * Decodes `aws-chunked` (`STREAMING-UNSIGNED-PAYLOAD-TRAILER`), in which an SDK sends a stream whose checksum it only knows at
 * the end. Puts the headers that follow the last chunk into `trailers`, names in lower case. Throws IncompleteBody. Amazon S3
 * API Reference, "Signature calculations for trailing headers".
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const lines = new LineReader(source);
  for (;;) {
    const line = await lines.readLine();
    if (!/^[0-9a-f]{1,8}$/i.test(line)) throw damaged();
    const size = Number.parseInt(line, 16);
    if (size === 0) break;
    yield* lines.readBytes(size);
    if ((await lines.readLine()) !== "") throw damaged();
  }
  for (let line = await lines.readLine(); line !== ""; line = await lines.readLine()) {
    const colon = line.indexOf(":");
    if (colon < 1 || trailers.size >= MAX_TRAILERS) throw damaged();
    trailers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  await lines.expectEnd();
}

/** Reads a stream by lines that end with CR LF, and by numbers of bytes. */
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
      if (this.buffered.length > MAX_LINE_BYTES) throw damaged();
      await this.readMore();
    }
  }

  async *readBytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.buffered.length === 0) await this.readMore();
      const bytes = this.buffered.subarray(0, left);
      this.buffered = this.buffered.subarray(bytes.length);
      left -= bytes.length;
      yield bytes;
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
