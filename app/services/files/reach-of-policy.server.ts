import { issueOfFolderPath, prefixOf } from "platform-embed-element/client";
import type { EventFolder, EventReach } from "../../events/event-reach.server";
import type { FilesPolicy } from "./place/policy.server";

/** The folders that a policy names, in each of its buckets. As in `decideFolder`, an invalid entry names nothing. */
export const foldersOfPolicy = (
  buckets: readonly string[],
  paths: readonly string[] = ["/"],
): EventFolder[] =>
  paths.flatMap((path) => (issueOfFolderPath(path) === null ? { buckets, prefix: prefixOf(path) } : []));

/**
 * Which events a key may read. Where visitors may browse, those of everybody: the names are no secret to the key. Where they may only upload, and
 * for hand-in pages, those of the key itself. E-mails and databases are in no folder: a key reads of them unless it is made for a part of
 * the company.
 */
export function reachOfFilesPolicy(
  { buckets, paths, uploadFolders = paths, view }: FilesPolicy,
  clientId: string,
): EventReach {
  const isHandIn = view === "hand-in";
  const browsed = isHandIn ? [] : foldersOfPolicy(buckets, paths);
  const own = foldersOfPolicy(buckets, uploadFolders)
    .filter(({ prefix }) => !browsed.some((folder) => prefix.startsWith(folder.prefix)))
    .map((folder) => ({ ...folder, clientId }));
  return { folders: [...browsed, ...own], others: !isHandIn && paths === undefined };
}
