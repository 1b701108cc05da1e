import { joinPath, prefixOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { wasRepeated } from "../../../providers/connection-errors";
import { hasCode } from "../../../shared/app-error";
import type { CreatedFolder, CreateFolderRequest } from "../place/contract/storage-contract.server";
import {
  allows,
  assertBucketInScope,
  assertMayCreateFolders,
  assertUploadFolderInScope,
  type FilesGrant,
} from "../place/scope-guards.server";
import { signUndo } from "./undo.server";

/**
 * Creates an empty folder: an empty object whose key ends with a slash. If the folder exists, it stays as it is and the
 * response is the same, but without `undo`.
 * @throws AppError `scope_not_allowed`, `upload_conflict`, and those of the store
 */
export async function createFolder(
  body: CreateFolderRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<CreatedFolder> {
  const { scope } = grant;
  const { objectStore, events, context } = tools;
  assertMayCreateFolders(scope);
  assertBucketInScope(body.bucket, scope);
  assertUploadFolderInScope(body.folderPath, scope);
  const path = joinPath(body.folderPath, body.name);
  const folder = { bucket: body.bucket, key: prefixOf(path) };
  const describe = () => objectStore.describeObject(folder, context);
  const exists = async () => (await describe()) !== null;
  const create = async () => {
    try {
      return await objectStore.createFolder(folder, context);
    } catch (error) {
      // By the first attempt of this request, whose response was lost.
      const created = hasCode(error, "name_taken") && wasRepeated(error) ? await describe() : null;
      if (created === null) throw error;
      return { etag: created.etag };
    }
  };
  // See `enforcesConditions`.
  if (await exists()) return { path };
  try {
    const event = { ...authorOf(grant, context), ...folder, type: "folder.created", data: {} } as const;
    const change = new PendingChange(events, event);
    const { etag } = await change.run({}, create);
    if (!allows("delete", scope)) return { path };
    const created = { kind: "created" as const, objects: [{ key: folder.key, etag }] };
    return { path, undo: signUndo(created, folder.bucket, grant, tools) ?? undefined };
  } catch (error) {
    // A concurrent request may have created it.
    const isThere = hasCode(error, "name_taken") || (hasCode(error, "upload_conflict") && (await exists()));
    if (!isThere) throw error;
  }
  return { path };
}
