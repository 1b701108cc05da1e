/** A worker that colours code. `npm run build:assets` makes `/embed-workers/highlight.js` of it. */
import { type CodePiece, highlightCode } from "./highlight-code";

export interface HighlightRequest {
  language: string;
  text: string;
}
/** null: the text is too complex */
export type HighlightResponse = CodePiece[] | null;

const post = postMessage as (message: HighlightResponse) => void;

addEventListener("message", ({ data }: MessageEvent<HighlightRequest>) => {
  try {
    post(highlightCode(data.language, data.text));
  } catch {
    // Too many pieces, or nested too deeply for the stack.
    post(null);
  }
});
