/** A worker that guesses encodings. `npm run build:assets` makes `/embed-workers/encoding.js` of it. */
import { answerMessages } from "./answer-messages";
import type { Encoding } from "./decode-text";
import { guessEncoding } from "./guess-encoding";

export type EncodingResponse = { encoding: Encoding | null };

answerMessages<Uint8Array, EncodingResponse>(
  (bytes) => ({ encoding: guessEncoding(bytes) }),
  // What cannot be guessed can be chosen.
  () => ({ encoding: null }),
);
