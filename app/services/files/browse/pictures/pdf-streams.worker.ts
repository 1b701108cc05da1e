/** A worker that counts what a PDF unpacks to. `npm run build:assets` makes `/embed-workers/pdf-streams.js` of it. */
import { unpacksTooFar } from "./pdf-streams";

const post = postMessage as (message: boolean) => void;

addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  try {
    post(unpacksTooFar(data));
  } catch {
    // What cannot be counted may be anything.
    post(true);
  }
});
