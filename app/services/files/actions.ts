/** What a files token may allow beside browsing, which every one does. docs/contract.md#embed-tokens */
export const fileActions = ["download", "upload", "organize", "delete"] as const;
export type FileAction = (typeof fileActions)[number];

/** Where neither policy nor scope names a list. */
export const defaultActions: readonly FileAction[] = ["download", "upload"];
