/** A worker that compares two texts. `npm run build:assets` makes `/embed-workers/comparison.js` of it. */
import { answerMessages } from "../../browse/answer-messages";
import { type Comparison, compareTexts } from "./compare-texts";

export interface ComparisonRequest {
  before: string;
  after: string;
  timeoutMs: number;
}
/** null: it took too long, or failed */
export type ComparisonResponse = Comparison | null;

answerMessages<ComparisonRequest, ComparisonResponse>(
  ({ before, after, timeoutMs }) => compareTexts(before, after, timeoutMs),
  () => null,
);
