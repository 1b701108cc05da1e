import { isFolderMarker, prefixOf } from "platform-embed-element/client";
import type { StoreTools } from "../../../embed/service";
import type { Listing, ListRequest } from "../place/contract/storage-contract.server";
import { type FilesGrant, folderInScope } from "../place/scope-guards.server";
import { fileEntry, folderEntry } from "./key-rows.server";

/**
 * One page of a folder as it is now; `listFolderAt` lists it as it was, and `listFolderInOrder` in another order than that of the keys.
 * @param body `limitMs`: how long the store may take, milliseconds
 * @throws AppError `scope_not_allowed`, and those of `ObjectStore.list`
 */
export async function listFolder(
  body: Omit<ListRequest, "token" | "at" | "order"> & { limitMs?: number },
  grant: FilesGrant,
  { objectStore, context }: StoreTools,
): Promise<Listing> {
  const prefix = prefixOf(folderInScope(body, grant.scope));
  const { bucket, cursor, pageSize, limitMs } = body;
  const page = await objectStore.list({ bucket, prefix, cursor, pageSize, limitMs }, context);

  const isEmpty = page.prefixes.length + page.objects.length === 0 && page.nextCursor === null;
  const exists = prefix === "" || cursor !== undefined || !isEmpty;
  return {
    folders: page.prefixes.map(folderEntry),
    files: page.objects.filter(({ key, size }) => !isFolderMarker(key, size)).map(fileEntry),
    nextCursor: page.nextCursor,
    ...(exists ? {} : { exists: false as const }),
  };
}
