/** A worker that computes checksums and MD5s. `npm run build:assets` makes `/embed-workers/checksum.js` of it. */
import { type DigestAlgorithm, type ReadBlob, readBlob } from "../../../../embed-element/shared/read-blob";
import { startMd5 } from "./start-md5";

export interface ReadRequest {
  id: number;
  blob: Blob;
  algorithm: DigestAlgorithm;
}

export type ReadResponse = { id: number } & ({ read: ReadBlob } | { error: unknown });

const post = postMessage as (message: ReadResponse) => void;

addEventListener("message", async ({ data }: MessageEvent<ReadRequest>) => {
  const { id, blob, algorithm } = data;
  try {
    post({ id, read: await readBlob(blob, algorithm, startMd5) });
  } catch (error) {
    post({ id, error });
  }
});
