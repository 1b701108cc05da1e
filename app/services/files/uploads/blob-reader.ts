import type { DigestAlgorithm, ReadBlob } from "../../../../embed-element/shared/read-blob";
import type { ReadRequest, ReadResponse } from "./checksum.worker";

interface PendingRead extends ReadRequest {
  resolve(read: ReadBlob | null): void;
  reject(error: unknown): void;
}

const pending = new Map<number, PendingRead>();
let nextId = 1;
/** null if workers cannot be used, undefined before the first blob */
let worker: Worker | null | undefined;

/** Reads parts and whole small files in a worker, which starts with the first one; null if workers are not available. */
export async function readInWorker(blob: Blob, algorithm: DigestAlgorithm): Promise<ReadBlob | null> {
  if (worker === undefined) worker = startWorker();
  const started = worker;
  if (started === null) return null;
  return new Promise((resolve, reject) => {
    const request = { id: nextId++, blob, algorithm };
    pending.set(request.id, { ...request, resolve, reject });
    started.postMessage(request);
  });
}

function startWorker(): Worker | null {
  try {
    const started = new Worker("/embed-workers/checksum.js", { type: "module" });
    started.onmessage = ({ data }: MessageEvent<ReadResponse>) => {
      const request = pending.get(data.id);
      pending.delete(data.id);
      if ("read" in data) request?.resolve(data.read);
      else request?.reject(data.error);
    };
    started.onerror = () => {
      started.terminate();
      worker = null;
      for (const { resolve } of pending.values()) resolve(null);
      pending.clear();
    };
    return started;
  } catch {
    // The browser has no module workers, or a policy forbids them.
    return null;
  }
}
