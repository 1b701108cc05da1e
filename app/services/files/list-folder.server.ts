import type { ServiceTools } from "../../embed/service";
import { issueOfSegment, joinPath } from "./folder-path";
import { assertBucketInScope, assertFolderInScope, type FilesGrant } from "./scope-guards.server";
import type { Listing, ListRequest } from "./storage-contract.server";

/**
 * One page of a folder's content, inside the token's scope.
 * @param request `limitMs`: how long the store may take, milliseconds
 * @throws AppError `scope_not_allowed`, and those of `ObjectStore.list`
 */
export async function listFolder(
  request: Omit<ListRequest, "token"> & { limitMs?: number },
  grant: FilesGrant,
  { objectStore, request: context }: Pick<ServiceTools, "objectStore" | "request">,
): Promise<Listing> {
  const folderPath = request.folderPath ?? grant.scope.path ?? "/";
  assertBucketInScope(request.bucket, grant.scope);
  assertFolderInScope(folderPath, grant.scope);
  const prefix = folderPath === "/" ? "" : `${folderPath.slice(1)}/`;
  const { bucket, cursor, pageSize, limitMs } = request;
  const page = await objectStore.list({ bucket, prefix, cursor, pageSize, limitMs }, context);

  const isThere = prefix === "" || cursor !== undefined || page.prefixes.length + page.objects.length > 0;
  // A key that is no path in form (`a//b`, `../x`) cannot be asked for either, so it is not shown. The folder's own
  // marker object, whose key is the prefix, falls under that too: its name would be empty.
  const isNameable = ({ name }: { name: string }) => issueOfSegment(name) === null;
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
    ...(isThere ? {} : { exists: false as const }),
  };
}
