import type { DigestAlgorithm, ReadBlob } from "../../../../embed-element/shared/read-blob";
import type { ReadRequest, ReadResponse } from "./checksum.worker";

/** After these, a worker that has not replied is gone: browsers end workers without a word when memory is short. */
const MAX_WAIT_MS = 30_000;
/** More for each byte that is to be read: a slow drive reads a megabyte per second. */
const MAX_WAIT_MS_PER_BYTE = 1 / 1_000;

interface PendingRead extends ReadRequest {
  resolve(read: ReadBlob | null): void;
  reject(error: unknown): void;
}

const pending = new Map<number, PendingRead>();
/** Runs while anything is pending. */
let timer: ReturnType<typeof setTimeout> | undefined;
let nextId = 1;
/** null if workers cannot be used, undefined before the first blob */
let worker: Worker | null | undefined;

/** Reads parts and whole small files in a worker, which starts with the first one; null if workers are not available, or if it does not reply. */
export async function readInWorker(blob: Blob, algorithm: DigestAlgorithm): Promise<ReadBlob | null> {
  if (worker === undefined) worker = startWorker();
  const started = worker;
  if (started === null) return null;
  return new Promise((resolve, reject) => {
    const request = { id: nextId++, blob, algorithm };
    pending.set(request.id, { ...request, resolve, reject });
    startTimer(started);
    started.postMessage(request);
  });
}

/** Waits anew with each request and each reply. All reads share the drive, so that the first one may take as long as all of them. */
function startTimer(started: Worker): void {
  clearTimeout(timer);
  if (pending.size === 0) return;
  let bytes = 0;
  for (const { blob } of pending.values()) bytes += blob.size;
  timer = setTimeout(() => giveUp(started), MAX_WAIT_MS + bytes * MAX_WAIT_MS_PER_BYTE);
}

function startWorker(): Worker | null {
  try {
    const started = new Worker("/embed-workers/checksum.js", { type: "module" });
    started.onmessage = ({ data }: MessageEvent<ReadResponse>) => {
      const request = pending.get(data.id);
      pending.delete(data.id);
      startTimer(started);
      if ("read" in data) request?.resolve(data.read);
      else request?.reject(data.error);
    };
    started.onerror = () => giveUp(started);
    started.onmessageerror = () => giveUp(started);
    return started;
  } catch {
    // The browser has no module workers, or a policy forbids them.
    return null;
  }
}

/** Whoever waits reads without the worker, and so does everybody after them. */
function giveUp(started: Worker): void {
  started.terminate();
  clearTimeout(timer);
  worker = null;
  for (const { resolve } of pending.values()) resolve(null);
  pending.clear();
}
