import type { ServiceTools } from "../../../embed/service";
import { type Author, authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { hasCode } from "../../../shared/app-error";
import { mapConcurrently } from "../../../shared/map-concurrently";
import { restoreDeleted, restoreReplaced } from "../history/restore-version.server";
import { askOnceWhetherKeepsVersions } from "../keeps-versions.server";
import {
  assertActionInScope,
  assertBelowUploadFolder,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../scope-guards.server";
import type { Restored, RestoreFailure, UndoRequest } from "./changes-contract.server";
import { Outcomes } from "./count-outcomes.server";
import { readUndo, type UndoneObject } from "./undo-handle.server";

/** Maximum number of concurrent requests to the store. */
const MAX_CONCURRENT_REQUESTS = 16;

type Outcome = "done" | RestoreFailure;
type ObjectToUndo = UndoneObject & { bucket: string };

/**
 * Undoes what one response of `delete`, `copy`, `create-folder` or `restore` has done: brings deleted objects back, removes created ones, or
 * makes replaced versions the newest again. Objects that somebody has changed since stay as they are, and so do those that cannot be
 * restored. Repeating it does no harm.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
 */
export async function undoChange(
  { bucket, undo }: UndoRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Restored> {
  assertActionInScope("delete", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  const { kind, objects } = readUndo(undo, bucket, grant, tools);
  const assertMayUndo = kind === "created" ? assertBelowUploadFolder : assertChangeableInScope;
  for (const { key } of objects) assertMayUndo(`/${key}`, grant.scope);
  if (objects.some(({ replaced }) => replaced !== undefined)) assertActionInScope("history", grant.scope);
  const { requireTag } = grant.scope;
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);
  const author = authorOf(grant, tools.context);
  const outcomes = new Outcomes<RestoreFailure>(tools.context);
  for (const group of kind === "deleted" ? [objects] : byDepth(objects)) {
    await mapConcurrently(group, MAX_CONCURRENT_REQUESTS, async (object) => {
      const undoOne = kind === "deleted" ? bringBack : object.replaced ? restoreReplaced : removeCreated;
      const toUndo = { bucket, ...object, requireTag, keepsVersions };
      await outcomes.count(object.key, undoOne(toUndo, author, tools));
    });
  }
  return { restored: outcomes.done, failed: outcomes.failed, cursor: null };
}

/** Files first, then folders, the innermost first: a folder's own object is removed only when nothing else is in the folder. */
function byDepth(objects: readonly UndoneObject[]): UndoneObject[][] {
  const depthOf = ({ key }: UndoneObject) =>
    key.endsWith("/") ? key.split("/").length : Number.POSITIVE_INFINITY;
  const depths = [...new Set(objects.map(depthOf))].sort((one, other) => other - one);
  return depths.map((depth) => objects.filter((object) => depthOf(object) === depth));
}

/** The version is that of the delete marker. */
async function bringBack(
  { bucket, key, versionOrEtag: versionId }: ObjectToUndo,
  author: Author,
  tools: ServiceTools,
): Promise<Outcome> {
  const outcome = await restoreDeleted({ bucket, key, versionId }, author, tools);
  // Without its marker, an earlier attempt has brought the object back.
  return outcome === "not_found" ? "done" : outcome;
}

async function removeCreated(
  { bucket, key, versionOrEtag }: ObjectToUndo,
  author: Author,
  { objectStore, events, context }: ServiceTools,
): Promise<Outcome> {
  const existing = await objectStore.describeObject({ bucket, key }, context);
  if (existing === null) return "done";
  if (existing.etag !== versionOrEtag) return "changed";
  if (key.endsWith("/")) {
    const { entries } = await objectStore.listBelow({ bucket, prefix: key, pageSize: 2 }, context);
    if (entries.some((entry) => entry.key !== key)) return "not_empty";
  }
  try {
    const change = new PendingChange(events, { ...author, type: "file.deleted", bucket, key, data: {} });
    const { size, etag } = existing;
    const remove = () => objectStore.removeObject({ bucket, key, etag }, context);
    // By its delete marker, `findMoves` tells a deletion from a move.
    await change.run({ size, etag }, remove, ({ marker }) =>
      marker === undefined ? {} : { version: marker },
    );
  } catch (error) {
    if (hasCode(error, "name_taken")) return "changed";
    if (!hasCode(error, "not_found")) throw error;
  }
  return "done";
}
