import { nameOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import type { ObjectName } from "../../../providers/object-changes.server";
import { invalidRequest } from "../../../shared/app-error";
import type { Copied, CopyRequest } from "../place/contract/changes-contract.server";
import { roomOf } from "../place/room.server";
import {
  allows,
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  assertFileInScope,
  assertFolderInScope,
  assertMayReplace,
  assertTypeAllowed,
  assertUploadFolderInScope,
  type FilesGrant,
} from "../place/scope-guards.server";
import { continueRequest, type Progress } from "./change-cursor.server";
import {
  areInReplacedFolder,
  type ChangeItem,
  issueOfTarget,
  keyOrPrefix,
  readItems,
  type Target,
  targetsOf,
} from "./change-items";
import { type CopyBounds, copyBounds } from "./copy-large.server";
import { Copying } from "./copying.server";
import { MoveBack } from "./move-back.server";
import { type Copy, numbered, planCopy } from "./plan-copy.server";
import { signUndo } from "./undo.server";

/**
 * Copies or moves files and folders into a folder, up to one request's limits. The cursor continues. No state is kept on the server: the
 * cursor contains the progress, and repeating a request does no harm. docs/decisions/0067
 * @throws AppError `scope_not_allowed`, `type_not_allowed`, `invalid_request`, `upload_conflict`, and those of the store
 */
export async function copyItems(
  body: CopyRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  { isMove, bounds = copyBounds }: { isMove: boolean; bounds?: CopyBounds },
): Promise<Copied> {
  const { bucket, to, name, onConflict } = body;
  const items = readItems(body.items);
  assertMayCopy(body, items, grant, isMove);
  const targets = targetsOf(items, to, name);
  assertPossible(items, targets, onConflict === "replace");
  if (name !== undefined) await assertMayHaveName(bucket, items, name, grant, tools);

  // A move stores no further bytes.
  const maxFileBytes = isMove ? undefined : grant.scope.limits?.maxFileBytes;
  const { requireTag } = grant.scope;
  const { companyId } = grant;
  const moveBack = isMove ? new MoveBack(bucket, companyId, tools) : undefined;
  const copy: Copy = {
    bucket,
    items,
    targets,
    isMove,
    onConflict,
    maxFileBytes,
    requireTag,
    room: roomOf(grant, tools),
    bounds,
    moveBack,
  };
  const request = { companyId, bucket, isMove, items, to, name, onConflict };
  const { progress: begun, cursorAt, longChange } = continueRequest(request, body.cursor, tools);
  const nothing = { done: 0, failed: [], conflicts: [] };
  if (body.cursor === undefined && body.stop) return { ...nothing, cursor: null };
  const isToPlan = body.cursor === undefined && onConflict !== "replace";
  let progress: Progress = isToPlan ? { ...begun, planned: 0 } : begun;
  return tools.claims.during(namesOf(copy, progress), tools.context, continueCopy, longChange);

  /** @param holder of the claims */
  async function continueCopy(holder: string): Promise<Copied> {
    if (progress.planned !== undefined && !body.stop) {
      const plan = await planCopy(copy, progress, holder, tools);
      if (plan.conflicts.length > 0) return { ...nothing, conflicts: plan.conflicts, cursor: null };
      progress = plan.progress;
      // The caller gets a cursor before anything is changed: it tells a repeated request from a new one.
      const needsCursor = onConflict === "keep-both" || items.some(({ isFolder }) => isFolder);
      if (progress.planned !== undefined || needsCursor) {
        return { ...nothing, ...renamed(copy, progress), cursor: cursorAt(progress) };
      }
    }
    const copying = new Copying(copy, progress, holder, authorOf(grant, tools.context), tools);
    if (body.stop) {
      await copying.giveUp();
      return { ...nothing, cursor: null };
    }
    const next = await copying.run();
    const { done, failed } = copying.outcomes;
    // Removing a copy that replaced a file would leave nothing in its place.
    const isUndoable = onConflict !== "replace" && allows("delete", grant.scope);
    const undo = isUndoable && signUndo(copying.created, bucket, grant, tools);
    return {
      ...{ done, failed, conflicts: [] },
      ...renamed(copy, progress),
      cursor: cursorAt(next),
      ...(undo && { undo }),
    };
  }
}

/** What must not change otherwise meanwhile: the sources of a move, and the targets as far as their names are known. */
function namesOf(
  { bucket, items, targets, isMove, onConflict }: Copy,
  { numbers = [] }: Progress,
): ObjectName[] {
  const named = onConflict === "keep-both" ? targets.slice(0, numbers.length) : targets;
  const to = named.map((target, index) => numbered(target, numbers[index] ?? 0));
  return [...(isMove ? items : []), ...to].map((item) => ({ bucket, key: keyOrPrefix(item) }));
}

/** The items that get another name with `keep-both`, once all names are known. */
function renamed({ items, targets }: Copy, { planned, numbers }: Progress): Pick<Copied, "renamed"> {
  if (planned !== undefined || numbers === undefined) return {};
  return {
    renamed: items.flatMap((item, index) => {
      const [target, number] = [targets[index], numbers[index]];
      if (target === undefined || !number) return [];
      const name = nameOf(numbered(target, number).path);
      return { name, ...(item.isFolder ? { folderPath: item.path } : { key: keyOrPrefix(item) }) };
    }),
  };
}

/** @throws AppError `scope_not_allowed` */
function assertMayCopy(
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
function assertPossible(items: readonly ChangeItem[], targets: readonly Target[], merges: boolean): void {
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
async function assertMayHaveName(
  bucket: string,
  [item]: readonly ChangeItem[],
  name: string,
  { scope }: FilesGrant,
  { objectStore, context }: ServiceTools,
): Promise<void> {
  const fileTypes = scope.limits?.fileTypes;
  if (item === undefined || item.isFolder || fileTypes === undefined || nameOf(item.path) === name) return;
  const existing = await objectStore.describeObject({ bucket, key: keyOrPrefix(item) }, context);
  assertTypeAllowed(fileTypes, { name, contentType: existing?.contentType ?? "" });
}
