import { AppError } from "../../app-error";
import type { ServiceTools } from "../../embed/service";
import { joinPath } from "./folder-path";
import { keyOf } from "./presign.server";
import {
  assertBucketInScope,
  assertFoldersInScope,
  assertUploadFolderInScope,
  type FilesGrant,
} from "./scope-guards.server";
import type { CreateFolderRequest } from "./storage-contract.server";

/**
 * Makes an empty folder: an object of no bytes whose key ends with a slash. One that is there already is left as it is, and the response is
 * the same.
 * @throws AppError `scope_not_allowed`, `upload_conflict`, and those of the store
 */
export async function createFolder(
  request: CreateFolderRequest,
  { scope }: FilesGrant,
  { objectStore, request: context }: ServiceTools,
): Promise<{ path: string }> {
  assertFoldersInScope(scope);
  assertBucketInScope(request.bucket, scope);
  assertUploadFolderInScope(request.folderPath, scope);
  const path = joinPath(request.folderPath, request.name);
  const folder = { bucket: request.bucket, key: `${keyOf(path)}/` };
  const isThere = async () => (await objectStore.findObject(folder, context)) !== null;
  // Some stores ignore If-None-Match, and would overwrite what is there.
  if (await isThere()) return { path };
  try {
    await objectStore.createFolder(folder, context);
  } catch (error) {
    // The same request at the same time may have been first.
    const code = error instanceof AppError ? error.code : undefined;
    if (code !== "name_taken" && !(code === "upload_conflict" && (await isThere()))) throw error;
  }
  return { path };
}
