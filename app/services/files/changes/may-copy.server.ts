import type { ServiceTools } from "../../../embed/service";
import { invalidRequest } from "../../../shared/app-error";
import { nameOf } from "../folder-path";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  assertFileInScope,
  assertFolderInScope,
  assertMayReplace,
  assertUploadFolderInScope,
  type FilesGrant,
} from "../scope-guards.server";
import { brokenLimit } from "../upload-limits";
import { typeNotAllowed } from "../uploads/presign-upload.server";
import {
  areInReplacedFolder,
  type ChangeItem,
  issueOfTarget,
  keyOrPrefix,
  type Target,
} from "./change-items";
import type { CopyRequest } from "./changes-contract.server";

/** @throws AppError `scope_not_allowed` */
export function assertMayCopy(
  { bucket, to, onConflict }: CopyRequest,
  items: readonly ChangeItem[],
  { scope }: FilesGrant,
  isMove: boolean,
): void {
  assertActionInScope("organize", scope);
  if (onConflict === "replace") assertMayReplace(scope);
  assertBucketInScope(bucket, scope);
  assertUploadFolderInScope(to, scope);
  for (const { path, isFolder } of items) {
    if (isMove) assertChangeableInScope(path, scope);
    else if (isFolder) assertFolderInScope(path, scope);
    else assertFileInScope(path, scope);
  }
}

/** @throws AppError `invalid_request` */
export function assertPossible(
  items: readonly ChangeItem[],
  targets: readonly Target[],
  merges: boolean,
): void {
  for (const [index, item] of items.entries()) {
    const target = targets[index];
    const message = target && issueOfTarget(item, target, merges);
    if (message) throw invalidRequest([{ path: "to", message }]);
  }
  if (merges && areInReplacedFolder(items, targets)) {
    const message = "must not be in a folder that another item replaces";
    throw invalidRequest([{ path: "items", message }]);
  }
}

/** The new name of a file must not give it a type that this token may not upload. @throws AppError `type_not_allowed` */
export async function assertMayHaveName(
  bucket: string,
  [item]: readonly ChangeItem[],
  name: string,
  { scope }: FilesGrant,
  { objectStore, context }: ServiceTools,
): Promise<void> {
  const fileTypes = scope.limits?.fileTypes;
  if (item === undefined || item.isFolder || fileTypes === undefined || nameOf(item.path) === name) return;
  const there = await objectStore.describeObject({ bucket, key: keyOrPrefix(item) }, context);
  const contentType = there?.contentType ?? "";
  if (brokenLimit({ fileTypes }, { name, contentType, size: 0 }) !== null) {
    throw typeNotAllowed(fileTypes);
  }
}
