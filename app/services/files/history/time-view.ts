/**
 * What the explorer shows of a folder: its files now, its files as they were at a moment (RFC 3339), or what was deleted in it and its
 * subfolders.
 */
export type TimeView = { kind: "now" } | { kind: "at"; moment: string } | { kind: "deleted" };

export const now: TimeView = { kind: "now" };

export function isSameView(one: TimeView, other: TimeView): boolean {
  return one.kind === "at" && other.kind === "at" ? one.moment === other.moment : one.kind === other.kind;
}
