/** A worker that colours code. `npm run build:assets` makes `/embed-workers/highlight.js` of it. */
import { answerMessages } from "../../browse/answer-messages";
import { type CodePiece, highlightCode } from "./highlight-code";

export interface HighlightRequest {
  language: string;
  text: string;
}
/** null: the text is too complex */
export type HighlightResponse = CodePiece[] | null;

answerMessages<HighlightRequest, HighlightResponse>(
  ({ language, text }) => highlightCode(language, text),
  // Too many pieces, or nested too deeply for the stack.
  () => null,
);
