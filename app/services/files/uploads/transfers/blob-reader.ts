import type { ReadRequest, ReadResponse } from "./checksum.worker";
import { type DigestAlgorithm, type ReadBlob, readBlob } from "./read-blob";

export type BlobReader = (blob: Blob, algorithm: DigestAlgorithm) => Promise<ReadBlob>;

interface PendingRead extends ReadRequest {
  resolve(read: ReadBlob | Promise<ReadBlob>): void;
  reject(error: unknown): void;
}

/** Reads parts and whole small files in a worker, which starts with the first one; in the page if workers are not available. */
export function createBlobReader(): BlobReader {
  const pending = new Map<number, PendingRead>();
  let nextId = 1;
  /** null if workers cannot be used, undefined before the first blob */
  let started: Worker | null | undefined;

  const start = (): Worker | null => {
    try {
      const worker = new Worker("/embed-workers/checksum.js", { type: "module" });
      worker.onmessage = ({ data }: MessageEvent<ReadResponse>) => {
        const request = pending.get(data.id);
        pending.delete(data.id);
        if ("read" in data) request?.resolve(data.read);
        else request?.reject(data.error);
      };
      worker.onerror = () => {
        worker.terminate();
        started = null;
        for (const { blob, algorithm, resolve } of pending.values()) resolve(readBlob(blob, algorithm));
        pending.clear();
      };
      return worker;
    } catch {
      // The browser has no module workers, or a policy forbids them.
      return null;
    }
  };

  return async (blob, algorithm) => {
    if (started === undefined) started = start();
    const worker = started;
    if (worker === null) return readBlob(blob, algorithm);
    return new Promise((resolve, reject) => {
      const request = { id: nextId++, blob, algorithm };
      pending.set(request.id, { ...request, resolve, reject });
      worker.postMessage(request);
    });
  };
}
