import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { type ReadPart, readPart } from "./read-part";

export interface PartRequest {
  id: number;
  slice: Blob;
  algorithm: ChecksumAlgorithm;
}

export type PartResponse = { id: number } & ({ part: ReadPart } | { error: unknown });

/** Address of this module. The page imports it to learn the address, and starts it as a worker: the compiler has no syntax for workers. */
export const address = import.meta.url;

declare const WorkerGlobalScope: (new () => unknown) | undefined;

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  const post = postMessage as (message: PartResponse) => void;
  addEventListener("message", async ({ data }: MessageEvent<PartRequest>) => {
    const { id, slice, algorithm } = data;
    try {
      post({ id, part: await readPart(slice, algorithm) });
    } catch (error) {
      post({ id, error });
    }
  });
}
