import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Bucket } from "./bucket";
import type { ChecksumAlgorithm } from "./checksums";
import { checkCopyConditions } from "./conditions";
import type { ByteRange } from "./data-files";
import { S3Error } from "./errors";
import type { ObjectRecord } from "./object-record";
import type { S3Request } from "./request";
import type { ObjectStorage } from "./storage";
import { type Received, Tally } from "./tally";

export interface CopySource {
  bucket: Bucket;
  record: ObjectRecord;
}

/** What `x-amz-copy-source` names, if the conditions on it hold. Throws InvalidArgument, NoSuchKey, PreconditionFailed. */
export function findCopySource(request: S3Request, storage: ObjectStorage): CopySource {
  const from = decodeCopySource(request.header("x-amz-copy-source") ?? "");
  const bucket = storage.get(from.bucket);
  const record = bucket.get(from.key);
  checkCopyConditions(request, record);
  return { bucket, record };
}

/** Writes the source's bytes, or a range of them, to `path`. */
export async function copyBytes(
  { bucket, record }: CopySource,
  path: string,
  { range, algorithm }: { range?: ByteRange; algorithm?: ChecksumAlgorithm },
): Promise<Received> {
  const tally = new Tally(algorithm);
  await pipeline(
    bucket.data.read(record.pieces, range),
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        tally.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  return tally.finish();
}

/** `x-amz-copy-source-range`, which unlike `Range` must lie inside the object. Throws InvalidArgument. */
export function readCopyRange(request: S3Request, source: ObjectRecord): ByteRange | undefined {
  const text = request.header("x-amz-copy-source-range");
  if (text === undefined) return undefined;
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text);
  const [start, end] = [Number(match?.[1]), Number(match?.[2])];
  if (match && start <= end && end < source.size) return { start, end };
  throw new S3Error(
    "InvalidArgument",
    "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
    { ArgumentName: "x-amz-copy-source-range", ArgumentValue: text },
  );
}

/** `/bucket/key` or `bucket/key`, percent-encoded. Throws InvalidArgument. */
function decodeCopySource(encoded: string): { bucket: string; key: string } {
  const [, bucket, key] = /^\/?([^/?]+)\/([^?]+)$/.exec(encoded) ?? [];
  try {
    if (bucket !== undefined && key !== undefined) return { bucket, key: decodeURIComponent(key) };
  } catch {
    // refused below, like a source that names no key
  }
  throw new S3Error(
    "InvalidArgument",
    "Copy Source must mention the source bucket and key, URL-encoded: sourcebucket/sourcekey",
  );
}
