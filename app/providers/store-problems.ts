/** What is wrong with the store, in words that the explorer can act on. */
export const storeProblems = [
  "store_unreachable",
  "store_busy",
  "store_refused",
  "bucket_not_found",
  "clock_skewed",
  "cors_missing",
] as const;
export type StoreProblem = (typeof storeProblems)[number];
