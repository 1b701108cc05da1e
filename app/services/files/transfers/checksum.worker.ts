import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { type ReadBlob, readBlob } from "./read-blob";

export interface ReadRequest {
  id: number;
  blob: Blob;
  algorithm: ChecksumAlgorithm;
}

export type ReadResponse = { id: number } & ({ read: ReadBlob } | { error: unknown });

/** Address of this module. The page imports it to learn the address, and starts it as a worker: the compiler has no syntax for workers. */
export const address = import.meta.url;

declare const WorkerGlobalScope: (new () => unknown) | undefined;

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  const post = postMessage as (message: ReadResponse) => void;
  addEventListener("message", async ({ data }: MessageEvent<ReadRequest>) => {
    const { id, blob, algorithm } = data;
    try {
      post({ id, read: await readBlob(blob, algorithm) });
    } catch (error) {
      post({ id, error });
    }
  });
}
