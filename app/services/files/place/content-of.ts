import type { FileEntry } from "./contract/storage-contract.server";

/** What names the content of a file in a request: without a `versionId`, it is the current content. */
export type ContentName = Pick<FileEntry, "key" | "versionId">;

export const contentOf = ({ key, versionId }: ContentName): ContentName => ({ key, versionId });

/** Unique among the contents of all files: of their older versions, too. */
export const contentId = ({ key, versionId }: ContentName): string => JSON.stringify([key, versionId]);

/** Another one whenever the content of the file changes. */
export const versionOf = (file: FileEntry): string => `${contentId(file)} ${file.etag || file.lastModified}`;
