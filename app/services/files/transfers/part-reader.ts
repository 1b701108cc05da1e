import type { ChecksumAlgorithm } from "../../../providers/checksums";
import type { PartRequest, PartResponse } from "./checksum.worker";
import { type ReadPart, readPart } from "./read-part";

export type ReadSlice = (slice: Blob, algorithm: ChecksumAlgorithm | null) => Promise<ReadPart>;

interface Asked extends PartRequest {
  resolve(part: ReadPart | Promise<ReadPart>): void;
  reject(error: unknown): void;
}

/** Reads parts in a worker, which starts with the first part; in the page where workers are not available. */
export function createPartReader(): ReadSlice {
  const asked = new Map<number, Asked>();
  let nextId = 1;
  let starting: Promise<Worker | null> | null = null;

  const start = async (): Promise<Worker | null> => {
    try {
      const { address } = await import("./checksum.worker");
      const worker = new Worker(address, { type: "module" });
      worker.onmessage = ({ data }: MessageEvent<PartResponse>) => {
        const request = asked.get(data.id);
        asked.delete(data.id);
        if ("part" in data) request?.resolve(data.part);
        else request?.reject(data.error);
      };
      worker.onerror = () => {
        worker.terminate();
        starting = Promise.resolve(null);
        for (const { slice, algorithm, resolve } of asked.values()) resolve(readPart(slice, algorithm));
        asked.clear();
      };
      return worker;
    } catch {
      // The browser has no module workers, or a policy forbids them.
      return null;
    }
  };

  return async (slice, algorithm) => {
    if (algorithm === null) return readPart(slice, null);
    starting ??= start();
    const worker = await starting;
    if (worker === null) return readPart(slice, algorithm);
    return new Promise((resolve, reject) => {
      const request = { id: nextId++, slice, algorithm };
      asked.set(request.id, { ...request, resolve, reject });
      worker.postMessage(request);
    });
  };
}
