/** A worker that compares two texts. `npm run build:assets` makes `/embed-workers/comparison.js` of it. */
import { type Comparison, compareTexts } from "./compare-texts";

export interface ComparisonRequest {
  before: string;
  after: string;
  timeoutMs: number;
}
/** null: it took too long, or failed */
export type ComparisonResponse = Comparison | null;

const post = postMessage as (message: ComparisonResponse) => void;

addEventListener("message", ({ data }: MessageEvent<ComparisonRequest>) => {
  try {
    post(compareTexts(data.before, data.after, data.timeoutMs));
  } catch {
    post(null);
  }
});
