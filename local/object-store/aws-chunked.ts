import { S3Error } from "./errors";

/** `x-amz-content-sha256` of a body in `aws-chunked` encoding whose checksum follows it. */
export const STREAMING_UNSIGNED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

const LONGEST_LINE = 8192;

/**
 * Decodes `aws-chunked`, the way an SDK sends a stream whose checksum it knows only at the end, and puts the trailing
 * headers (names in lower case) into `trailers`. Throws IncompleteBody. Source: Amazon S3 API Reference, "Signature
 * calculations for trailing headers".
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const incoming = source[Symbol.asyncIterator]();
  let buffered: Buffer = Buffer.alloc(0);

  async function readMore(): Promise<void> {
    const next = await incoming.next();
    if (next.done) throw damaged();
    buffered = buffered.length > 0 ? Buffer.concat([buffered, next.value]) : next.value;
  }

  async function readLine(): Promise<string> {
    for (;;) {
      const end = buffered.indexOf("\r\n");
      if (end !== -1) {
        const line = buffered.toString("latin1", 0, end);
        buffered = buffered.subarray(end + 2);
        return line;
      }
      if (buffered.length > LONGEST_LINE) throw damaged();
      await readMore();
    }
  }

  for (;;) {
    const header = /^([0-9a-f]{1,8})(;.*)?$/i.exec(await readLine());
    if (!header) throw damaged();
    let left = Number.parseInt(header[1] ?? "", 16);
    if (left === 0) break;
    while (left > 0) {
      if (buffered.length === 0) await readMore();
      const part = buffered.subarray(0, left);
      buffered = buffered.subarray(part.length);
      left -= part.length;
      yield part;
    }
    if ((await readLine()) !== "") throw damaged();
  }
  for (let line = await readLine(); line !== ""; line = await readLine()) {
    const colon = line.indexOf(":");
    if (colon < 1) throw damaged();
    trailers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  if (buffered.length > 0 || !(await incoming.next()).done) throw damaged();
}

function damaged(): S3Error {
  return new S3Error(
    "IncompleteBody",
    "The request body terminated unexpectedly or is not in aws-chunked encoding.",
  );
}
