import { AppError } from "../../app-error";
import type { Grant } from "../../embed/service";
import { defaultActions, type FileAction } from "./actions";
import { isBelow, isInside } from "./folder-path";
import type { FilesScope } from "./scope.server";

export type FilesGrant = Grant<FilesScope>;

/** @throws AppError `scope_not_allowed` */
export function assertBucketInScope(bucket: string, scope: FilesScope): void {
  if (bucket !== scope.bucket) outsideScope("That bucket is outside what this token reaches.");
}

/** For browsing: a folder inside the token's `path`. @throws AppError `scope_not_allowed` */
export function assertFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/** For download: a file below the token's `path`. @throws AppError `scope_not_allowed` */
export function assertFileInScope(path: string, scope: FilesScope): void {
  if (!isBelow(path, scope.path ?? "/")) outsideScope("That path is outside what this token reaches.");
}

/** For uploads: inside the token's `uploadFolder` if it has one, else its `path`. @throws AppError `scope_not_allowed` */
export function assertUploadFolderInScope(folderPath: string, scope: FilesScope): void {
  if (!isInside(folderPath, scope.uploadFolder ?? scope.path ?? "/")) {
    outsideScope("That folder is outside where this token may upload.");
  }
}

/** For what is moved away or deleted: a file or folder below where the token may write. @throws AppError `scope_not_allowed` */
export function assertChangeableInScope(path: string, scope: FilesScope): void {
  if (!isBelow(path, scope.uploadFolder ?? scope.path ?? "/")) {
    outsideScope("That path is outside where this token may change anything.");
  }
}

/** @throws AppError `scope_not_allowed` */
export function assertActionInScope(action: FileAction, { actions = [...defaultActions] }: FilesScope): void {
  if (!actions.includes(action)) outsideScope(`This token does not allow ${action} (scope.actions).`);
}

/** Empty folders are part of a folder that is uploaded. @throws AppError `scope_not_allowed` */
export function assertFoldersInScope(scope: FilesScope): void {
  if (!scope.actions?.includes("organize")) assertActionInScope("upload", scope);
}

function outsideScope(message: string): never {
  throw new AppError("scope_not_allowed", message);
}
