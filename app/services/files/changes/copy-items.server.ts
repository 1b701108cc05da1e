import { invalidRequest } from "../../../app-error";
import type { ServiceTools } from "../../../embed/service";
import { typeNotAllowed } from "../presign.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  assertFileInScope,
  assertFolderInScope,
  assertUploadFolderInScope,
  type FilesGrant,
} from "../scope-guards.server";
import { brokenLimit } from "../upload-limits";
import { digestOf, type Progress, readCursor, signCursor } from "./change-cursor.server";
import {
  type ChangeItem,
  issueOfTarget,
  keyOrPrefix,
  nameOf,
  readItems,
  type Target,
  targetsOf,
} from "./change-items";
import type { Copied, CopyRequest } from "./changes-contract.server";
import { Outcomes } from "./count-outcomes.server";
import { keepFoldersOf } from "./keep-folders.server";
import { chooseNumbers, findConflicts, isFolderThere, numbered } from "./plan-names.server";
import { requestBounds, runBounded } from "./run-bounded";
import { type Transfer, transferObject } from "./transfer-object.server";
import { type Found, positionAfter, walkObjects } from "./walk-objects";

/**
 * Copies or moves files and folders into a folder, as far as one request goes. Nothing is kept on our side: the cursor says how far it has
 * come, and a request that is repeated does no harm. docs/decisions/0067
 * @throws AppError `scope_not_allowed`, `type_not_allowed`, `invalid_request`, and those of the store
 */
export async function copyItems(
  request: CopyRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  { isMove, bounds = requestBounds }: { isMove: boolean; bounds?: typeof requestBounds },
): Promise<Copied> {
  const { bucket, to, name, onConflict } = request;
  const items = readItems(request.items);
  assertMayCopy(request, items, grant, isMove);
  const asked = targetsOf(items, to, name);
  assertPossible(items, asked, onConflict === "replace");
  if (name !== undefined) await assertMayHaveName(bucket, items, name, grant, tools);

  const { companyId } = grant;
  const digest = digestOf({ companyId, bucket, isMove, items, to, name, onConflict });
  const answer = { done: 0, failed: [], conflicts: [] };
  const start = { index: 0 };
  let progress: Progress = request.cursor ? readCursor(request.cursor, digest, tools) : start;
  const isHere = (index: number) => isMove && items[index]?.path === asked[index]?.path;

  if (request.cursor === undefined && onConflict === "fail") {
    const taken = await findConflicts(bucket, items, asked, tools);
    const conflicts = taken
      .filter((index) => !isHere(index))
      .flatMap((index) => describe(items[index], name));
    if (conflicts.length > 0) return { ...answer, conflicts, cursor: null };
  }
  if (request.cursor === undefined && onConflict === "keep-both") {
    const numbers = await chooseNumbers(bucket, asked, tools);
    progress = { ...start, numbers: numbers.map((number, index) => (isHere(index) ? 0 : number)) };
  }
  // Before anything is changed, the caller gets what tells a repeated request from a new one.
  const hasFolders = items.some(({ isFolder }) => isFolder);
  if (request.cursor === undefined && (onConflict === "keep-both" || (onConflict === "fail" && hasFolders))) {
    return { ...answer, cursor: signCursor(progress, digest, tools) };
  }

  const targets = asked.map((target, index) => numbered(target, progress.numbers?.[index] ?? 0));
  const outcomes = new Outcomes(tools.request);
  const found = walkObjects(items, progress, (prefix, after) =>
    tools.objectStore.listBelow({ bucket, prefix, after }, tools.request),
  );
  const overwrite = onConflict === "replace";
  const { last, isComplete } = await runBounded(found, bounds, async (object) => {
    const [item, target] = [items[object.index], targets[object.index]];
    if (item === undefined || target === undefined || item.path === target.path) return;
    const work = transferFound({ bucket, isMove, overwrite }, object, item, target, tools);
    await outcomes.count(object.key, work);
  });
  const { done, failed } = outcomes;
  if (isComplete && isMove) await keepFoldersOf(bucket, items, tools);
  const at = last === undefined ? progress : { ...progress, ...positionAfter(last) };
  return { done, failed, conflicts: [], cursor: isComplete ? null : signCursor(at, digest, tools) };
}

async function transferFound(
  how: Pick<Transfer, "bucket" | "isMove" | "overwrite">,
  { key, entry }: Found<{ key: string; size: number; etag: string }>,
  item: ChangeItem,
  target: Target,
  tools: ServiceTools,
) {
  // Two of one name: whatever was chosen, none of them takes the other's place.
  if (target.isTwice && how.overwrite) return "name_taken";
  const to = keyOrPrefix(target) + key.slice(keyOrPrefix(item).length);
  if (item.isFolder && entry === undefined) {
    const isThere = how.isMove && (await isFolderThere(how.bucket, to, tools));
    return isThere ? "absent" : "not_found";
  }
  return transferObject({ ...how, key, to }, entry, tools);
}

function assertMayCopy(
  { bucket, to }: CopyRequest,
  items: readonly ChangeItem[],
  { scope }: FilesGrant,
  isMove: boolean,
): void {
  assertActionInScope("organize", scope);
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
}

/** A file may not get a type by its new name that this token may not upload. @throws AppError `type_not_allowed` */
async function assertMayHaveName(
  bucket: string,
  [item]: readonly ChangeItem[],
  name: string,
  { scope }: FilesGrant,
  { objectStore, request }: ServiceTools,
): Promise<void> {
  const fileTypes = scope.limits?.fileTypes;
  if (item === undefined || item.isFolder || fileTypes === undefined || nameOf(item.path) === name) return;
  const there = await objectStore.describeObject({ bucket, key: keyOrPrefix(item) }, request);
  const contentType = there?.contentType ?? "";
  if (brokenLimit({ fileTypes }, { name, contentType, size: 0 }) !== null) {
    throw typeNotAllowed(fileTypes);
  }
}

function describe(item: ChangeItem | undefined, name: string | undefined): Copied["conflicts"] {
  if (item === undefined) return [];
  const place = item.isFolder ? { folderPath: item.path } : { key: keyOrPrefix(item) };
  return [{ name: name ?? nameOf(item.path), ...place }];
}
