import { pathOfKey } from "platform-embed-element/client";
import type { FilesScope } from "../place/scope.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  assertFolderInScope,
  assertUploadFolderInScope,
  folderInScope,
} from "../place/scope-guards.server";

/**
 * The folder whose past is listed; the token's own folder by default.
 * @throws AppError `scope_not_allowed`
 */
export function folderInHistory(
  request: { bucket: string; folderPath?: string | undefined },
  scope: FilesScope,
): string {
  assertActionInScope("history", scope);
  return folderInScope(request, scope);
}

/** For changing versions of files, and of the own objects of folders. @throws AppError `scope_not_allowed` */
export function assertVersionsInScope(
  action: "history" | "purge",
  { bucket, items }: { bucket: string; items: readonly { key: string }[] },
  scope: FilesScope,
): void {
  assertActionInScope(action, scope);
  assertBucketInScope(bucket, scope);
  for (const { key } of items) {
    const path = pathOfKey(key);
    if (key.endsWith("/")) {
      // The object of the token's own folder may have been deleted with everything in it.
      assertFolderInScope(path, scope);
      assertUploadFolderInScope(path, scope);
    } else {
      assertChangeableInScope(path, scope);
    }
  }
}
