import type { MultipartUpload } from "./multipart-upload.js";
import type { SendContext, SendTools } from "./send-context.js";

/**
 * Works on parts concurrently, as many as fit into memory. The first failure stops the others; it is thrown when all have ended.
 * @param work on one part, with a context whose signal stops it
 * @throws what `work` throws, or the signal's reason
 */
export async function forEachPart(
  numbers: readonly number[],
  context: SendContext,
  work: (number: number, context: SendContext) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([context.signal, failure.signal]);
  const working: Promise<void>[] = [];
  try {
    for (const number of numbers) {
      const release = await context.tools.partSlots.acquire(signal);
      const task = work(number, { ...context, signal });
      working.push(task.catch((error: unknown) => failure.abort(error)).finally(release));
    }
  } finally {
    await Promise.all(working);
  }
  signal.throwIfAborted();
}

/**
 * Reads a part, and computes the digest that the store compares it with. If the browser cannot compute the MD5, nothing is compared, and
 * `traits` says so.
 */
export async function readPart(
  { partSize, algorithm }: MultipartUpload,
  file: Blob,
  number: number,
  { read, traits }: SendTools,
) {
  const start = (number - 1) * partSize;
  const part = await read(file.slice(start, start + partSize), algorithm ?? "MD5");
  if (algorithm === null && part.md5 === null) traits.integrity = null;
  return part;
}
