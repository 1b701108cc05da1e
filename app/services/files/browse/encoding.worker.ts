/** A worker that guesses encodings. `npm run build:assets` makes `/embed-workers/encoding.js` of it. */
import type { Encoding } from "./decode-text";
import { guessEncoding } from "./guess-encoding";

export type EncodingResponse = { encoding: Encoding | null };

const post = postMessage as (message: EncodingResponse) => void;

addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
  try {
    post({ encoding: guessEncoding(data) });
  } catch {
    // What cannot be guessed can be chosen.
    post({ encoding: null });
  }
});
