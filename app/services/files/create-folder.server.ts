import type { ServiceTools } from "../../embed/service";
import { AppError } from "../../shared/app-error";
import { joinPath, prefixOf } from "./folder-path";
import {
  assertBucketInScope,
  assertFoldersInScope,
  assertUploadFolderInScope,
  type FilesGrant,
} from "./scope-guards.server";
import type { CreatedFolder, CreateFolderRequest } from "./storage-contract.server";

/**
 * Creates an empty folder: an empty object whose key ends with a slash. If the folder exists, it stays as it is and the
 * response is the same.
 * @throws AppError `scope_not_allowed`, `upload_conflict`, and those of the store
 */
export async function createFolder(
  request: CreateFolderRequest,
  { scope }: FilesGrant,
  { objectStore, request: context }: ServiceTools,
): Promise<CreatedFolder> {
  assertFoldersInScope(scope);
  assertBucketInScope(request.bucket, scope);
  assertUploadFolderInScope(request.folderPath, scope);
  const path = joinPath(request.folderPath, request.name);
  const folder = { bucket: request.bucket, key: prefixOf(path) };
  const exists = async () => (await objectStore.describeObject(folder, context)) !== null;
  // Some stores ignore If-None-Match and would overwrite the object.
  if (await exists()) return { path };
  try {
    await objectStore.createFolder(folder, context);
  } catch (error) {
    // A concurrent request may have created it.
    const code = error instanceof AppError ? error.code : undefined;
    if (code !== "name_taken" && !(code === "upload_conflict" && (await exists()))) throw error;
  }
  return { path };
}
