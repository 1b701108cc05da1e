/** Why the store cannot be used, as the explorer distinguishes it. In a file of its own because browsers import it. */
export const storeProblems = [
  "store_unreachable",
  "store_busy",
  "store_refused",
  "bucket_not_found",
  "clock_skewed",
  "cors_missing",
] as const;
export type StoreProblem = (typeof storeProblems)[number];
