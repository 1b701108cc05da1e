/**
 * The time at which the explorer shows a folder: now, a moment of the past (RFC 3339), or `deleted`, which stands for all that was deleted
 * in the folder and its subfolders.
 */
export type FolderTime = { kind: "now" } | { kind: "at"; moment: string } | { kind: "deleted" };

export const now: FolderTime = { kind: "now" };

export function isSameTime(one: FolderTime, other: FolderTime): boolean {
  return one.kind === "at" && other.kind === "at" ? one.moment === other.moment : one.kind === other.kind;
}
