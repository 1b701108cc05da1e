import type { ServiceTools } from "../../../embed/service";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../scope-guards.server";
import { digestOf, isAtBeginning, type Progress, readCursor, signCursor } from "./change-cursor.server";
import { readItems } from "./change-items";
import type { Deleted, DeleteRequest } from "./changes-contract.server";
import { Outcomes } from "./count-outcomes.server";
import { removeKeepingVersion } from "./delete-object.server";
import { keepFoldersOf } from "./keep-folders.server";
import { requestBounds, runBounded } from "./run-bounded";
import { signUndo, UndoList } from "./undo-handle.server";
import { positionAfter, walkObjects } from "./walk-objects";

/** seconds before a request without a cursor in which an earlier attempt of it may have deleted its files */
const EARLIER_ATTEMPT = 600;

/**
 * Deletes files and folders, as far as one request goes. Where the bucket keeps versions, the response has what brings back what it counts,
 * also what an earlier attempt deleted whose response was lost. docs/decisions/0067
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function deleteItems(
  request: DeleteRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  bounds = requestBounds,
): Promise<Deleted> {
  const { bucket } = request;
  const items = readItems(request.items);
  assertActionInScope("delete", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  for (const { path } of items) assertChangeableInScope(path, grant.scope);

  const undoable = await tools.objectStore.keepsVersions(bucket, tools.request);
  const nothing = { done: 0, failed: [], undo: null, undoable };
  if (request.check) return { ...nothing, cursor: null };
  const { companyId } = grant;
  const digest = digestOf({ companyId, bucket, items });
  const progress: Progress = request.cursor ? readCursor(request.cursor, digest, tools) : { index: 0 };
  const now = tools.objectStore.storeSeconds();
  if (request.cursor === undefined && undoable && items.some(({ isFolder }) => isFolder)) {
    // From here on, a delete marker in a folder tells whether this request has left it.
    return { ...nothing, cursor: signCursor({ ...progress, since: now }, digest, tools) };
  }

  const outcomes = new Outcomes(tools.request);
  const undo = new UndoList();
  const since = progress.since ?? now - EARLIER_ATTEMPT;
  if (isAtBeginning(progress)) await keepFoldersOf(bucket, items, [], bounds, tools);
  const run = undoable ? deleteUndoably() : deleteForGood();
  const { last, isComplete } = await run;
  const at = last === undefined ? progress : { ...progress, ...positionAfter(last) };
  return {
    done: outcomes.done,
    failed: outcomes.failed,
    cursor: isComplete ? null : signCursor(at, digest, tools),
    undo: signUndo(undo.markers, { bucket, companyId }, tools),
    undoable,
  };

  function deleteUndoably() {
    const found = walkObjects(items, progress, async (prefix, after) => {
      const page = await tools.objectStore.listVersionsBelow({ bucket, prefix, after }, tools.request);
      const entries = page.entries.filter(({ marker, deletedAt }) => !marker || deletedAt >= since);
      return { ...page, entries };
    });
    const remove = async (key: string, entry: Parameters<typeof removeKeepingVersion>[1]) => {
      const marker = await removeKeepingVersion({ bucket, key, since }, entry, tools);
      if (typeof marker === "string") return marker;
      undo.add(marker);
      return "done";
    };
    return runBounded(
      found,
      bounds,
      async ({ index, key, entry }) => {
        if (items[index]?.isFolder && entry === undefined) return;
        await outcomes.count(key, remove(key, entry));
      },
      () => undo.isFull,
    );
  }

  function deleteForGood() {
    const found = walkObjects(items, progress, (prefix, after) =>
      tools.objectStore.listBelow({ bucket, prefix, after }, tools.request),
    );
    const remove = async (key: string) => {
      await tools.objectStore.removeObject({ bucket, key }, tools.request);
      return "done" as const;
    };
    return runBounded(found, bounds, async ({ index, key, entry }) => {
      if (items[index]?.isFolder && entry === undefined) return;
      await outcomes.count(key, remove(key));
    });
  }
}
