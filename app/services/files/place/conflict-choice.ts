/** What to do when a name is taken at the destination. */
export type ConflictChoice = "replace" | "keep-both" | "skip";
