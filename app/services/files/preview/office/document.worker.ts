/** A worker that reads Word documents. `npm run build:assets` makes `/embed-workers/document.js` of it. */
import type { Refusal } from "../../browse/run-worker";
import { readDocument, type WordDocument } from "./read-document";
import { asOfficeProblem } from "./unpack";

export type DocumentResponse = { document: WordDocument } | { refusal: Refusal };

const post = postMessage as (message: DocumentResponse, transfer: ArrayBuffer[]) => void;

addEventListener("message", async ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => {
  try {
    const document = await readDocument(data);
    post(
      { document },
      document.images.map(({ bytes }) => bytes),
    );
  } catch (error) {
    post({ refusal: asOfficeProblem(error).refusal }, []);
  }
});
