/** A worker that counts what a PDF unpacks to. `npm run build:assets` makes `/embed-workers/pdf-streams.js` of it. */
import { answerMessages } from "../answer-messages";
import { unpacksTooFar } from "./pdf-streams";

// What cannot be counted may be anything.
answerMessages<Uint8Array, boolean>(unpacksTooFar, () => true);
