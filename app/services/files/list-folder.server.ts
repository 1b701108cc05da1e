import type { ObjectStore } from "../../providers/object-store.server";
import {
  assertBucketInScope,
  assertFolderInScope,
  type FilesGrant,
  readFilesToken,
  type TokenSettings,
} from "./files-token.server";
import { faultOfSegment, joinPath } from "./folder-path";
import type { Listing } from "./listing";
import type { ListRequest } from "./storage-requests.server";

/**
 * One page of a folder's content, inside the token's scope. Decisions, section 7.
 * @throws AppError `invalid_token`, `token_expired`, `scope_not_allowed`, and those of `ObjectStore.list`
 */
export async function listFolder(
  request: ListRequest,
  objectStore: ObjectStore,
  settings: TokenSettings,
): Promise<Listing> {
  return listGrantedFolder(readFilesToken(request.token, settings), request, objectStore);
}

/** `listFolder` for a token that has been read already, as the embed page's. */
export async function listGrantedFolder(
  grant: FilesGrant,
  request: Omit<ListRequest, "token"> & { limitMs?: number },
  objectStore: ObjectStore,
): Promise<Listing> {
  const folderPath = request.folderPath ?? grant.scope.path ?? "/";
  assertBucketInScope(request.bucket, grant.scope);
  assertFolderInScope(folderPath, grant.scope);
  const prefix = folderPath === "/" ? "" : `${folderPath.slice(1)}/`;
  const page = await objectStore.list({
    bucket: request.bucket,
    prefix,
    cursor: request.cursor,
    pageSize: request.pageSize,
    limitMs: request.limitMs,
  });

  // A key that is no path in form (`a//b`, `../x`) cannot be asked for either, so it is not shown. The folder's own
  // marker object, whose key is the prefix, falls under that too: its name would be empty.
  const isNameable = ({ name }: { name: string }) => faultOfSegment(name) === null;
  return {
    folders: page.prefixes
      .map((path) => path.slice(prefix.length, -1))
      .map((name) => ({ name, path: joinPath(folderPath, name) }))
      .filter(isNameable),
    files: page.objects
      .map(({ key, size, lastModified, etag }) => ({
        name: key.slice(prefix.length),
        key,
        size,
        lastModified: lastModified.toISOString(),
        etag,
      }))
      .filter(isNameable),
    nextCursor: page.nextCursor,
  };
}
