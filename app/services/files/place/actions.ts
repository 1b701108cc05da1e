/** What a token for files may allow. Browsing is always allowed. docs/contract.md#scope-of-files */
export const scopeActions = [
  "download",
  "upload",
  "organize",
  "delete",
  "activity",
  "history",
  "purge",
] as const;
export type ScopeAction = (typeof scopeActions)[number];

/** Applies if neither the policy nor the scope names actions. */
export const defaultActions: readonly ScopeAction[] = ["download", "upload"];

/** Whether these actions allow replacing a file by a copy: its content is lost if the bucket keeps no versions. */
export function mayReplace(actions: readonly ScopeAction[]): boolean {
  return actions.includes("upload") || actions.includes("delete");
}
