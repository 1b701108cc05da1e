/** What a token for files may allow. Browsing is always allowed. docs/contract.md#scope-of-files */
export const fileActions = [
  "download",
  "upload",
  "organize",
  "delete",
  "activity",
  "history",
  "purge",
] as const;
export type FileAction = (typeof fileActions)[number];

/** Applies if neither the policy nor the scope names actions. */
export const defaultActions: readonly FileAction[] = ["download", "upload"];

/** Whether these actions allow replacing a file by a copy: its content is lost if the bucket keeps no versions. */
export function mayReplace(actions: readonly FileAction[]): boolean {
  return actions.includes("upload") || actions.includes("delete");
}
