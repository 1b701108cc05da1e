import type { StorageClient } from "../../storage-client";
import type { ContentName } from "../content-of";
import { fetchBeginning } from "../preview/fetch-object";
import { runWorker } from "../preview/run-worker";
import { decodeText } from "../preview/text/decode-text";
import type { Comparison } from "./compare-texts";
import type { ComparisonRequest, ComparisonResponse } from "./comparison.worker";

/** Longer texts are not compared, each. */
export const MAX_COMPARED_BYTES = 1_000_000;
/** Two texts of the maximum length with a few changes take a tenth of this. */
const COMPARE_TIMEOUT_MS = 5_000;
/** In addition, for starting the worker, and for comparing words. */
const WORKER_EXTRA_MS = 5_000;

export type ComparisonResult =
  | {
      state: "compared";
      comparison: Comparison;
      /** the first text, or the second if that is empty */
      sample: string;
    }
  | { state: "too-large" | "binary" | "too-different" };

/** Reads two versions and compares them in a worker. @throws StorageProblem, or the signal's reason */
export async function loadComparison(
  client: StorageClient,
  { before, after }: Record<"before" | "after", ContentName>,
  signal: AbortSignal,
): Promise<ComparisonResult> {
  const contents = await Promise.all(
    [before, after].map((content) => fetchBeginning(client, content, MAX_COMPARED_BYTES, signal)),
  );
  if (contents.some(({ cut }) => cut)) return { state: "too-large" };
  const [old, young] = contents.map(({ bytes }) => decodeText(bytes, false)?.text);
  if (old === undefined || young === undefined) return { state: "binary" };
  const request: ComparisonRequest = { before: old, after: young, timeoutMs: COMPARE_TIMEOUT_MS };
  const limitMs = COMPARE_TIMEOUT_MS + WORKER_EXTRA_MS;
  const comparison = await runWorker<ComparisonResponse>("comparison", request, limitMs, signal);
  return comparison ? { state: "compared", comparison, sample: old || young } : { state: "too-different" };
}
