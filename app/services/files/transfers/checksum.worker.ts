import type { ChecksumAlgorithm } from "../../../providers/checksums";
import { type ReadPart, readPart } from "./read-part";

export interface PartRequest {
  id: number;
  slice: Blob;
  algorithm: ChecksumAlgorithm;
}

export type PartResponse = { id: number } & ({ part: ReadPart } | { error: unknown });

/** Where this module was loaded from: the page starts it once more as a worker, which computes while the page stays quick. */
export const address = import.meta.url;

declare const WorkerGlobalScope: (new () => unknown) | undefined;

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  const post = postMessage as (message: PartResponse, transfer?: Transferable[]) => void;
  addEventListener("message", async ({ data }: MessageEvent<PartRequest>) => {
    const { id, slice, algorithm } = data;
    try {
      const part = await readPart(slice, algorithm);
      post({ id, part }, part.body instanceof ArrayBuffer ? [part.body] : []);
    } catch (error) {
      post({ id, error });
    }
  });
}
