import type { ServiceTools } from "../../../embed/service";
import { type Author, authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { earliestSince } from "../../../providers/listings.server";
import { hasCode } from "../../../shared/app-error";
import { mapConcurrently } from "../../../shared/map-concurrently";
import type { Restored, RestoreFailure, UndoRequest } from "../place/contract/changes-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import {
  assertActionInScope,
  assertBelowUploadFolder,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../place/scope-guards.server";
import { hasOwnDeletion } from "./changes.sql.server";
import { Outcomes } from "./each-object.server";
import { restoreReplaced, undoDeletion } from "./restore-version.server";
import { readUndo, type UndoneObject } from "./undo-handle.server";
import { wasUploadedSince } from "./was-uploaded-since.server";

/** Maximum number of concurrent requests to the store. */
const MAX_CONCURRENT_REQUESTS = 16;

type Outcome = "done" | "uncounted" | RestoreFailure;
/** `signedAt`: when the change was made, unix seconds */
type ObjectToUndo = UndoneObject & { bucket: string; signedAt: number };

/**
 * Undoes what one response of `delete`, `copy`, `create-folder` or `restore` has done: brings deleted objects back, removes created ones, or
 * makes replaced versions the newest again. Objects that somebody has changed since stay as they are, and so do those that cannot be
 * restored. Repeating it does no harm.
 * @throws AppError `scope_not_allowed`, `invalid_request`, `upload_conflict`, and those of the store
 */
export async function undoChange(
  { bucket, undo }: UndoRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Restored> {
  assertActionInScope("delete", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  const { kind, objects, signedAt } = readUndo(undo, bucket, grant, tools);
  const assertMayUndo = kind === "created" ? assertBelowUploadFolder : assertChangeableInScope;
  for (const { key } of objects) assertMayUndo(`/${key}`, grant.scope);
  if (objects.some(({ replaced }) => replaced !== undefined)) assertActionInScope("history", grant.scope);
  const { requireTag } = grant.scope;
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);
  const author = authorOf(grant, tools.context);
  const outcomes = new Outcomes<RestoreFailure>(tools.context);
  const names = objects.map(({ key }) => ({ bucket, key }));
  await tools.claims.during(names, tools.context, async () => {
    for (const group of kind === "deleted" ? [objects] : byDepth(objects)) {
      await mapConcurrently(group, MAX_CONCURRENT_REQUESTS, async (object) => {
        const undoOne = kind === "deleted" ? bringBack : object.replaced ? restoreReplaced : removeCreated;
        const toUndo = { bucket, ...object, signedAt, requireTag, keepsVersions };
        await outcomes.count(object.key, undoOne(toUndo, author, tools));
      });
    }
  });
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
  const outcome = await undoDeletion({ bucket, key, versionId }, author, tools);
  return outcome === "unchanged" ? "done" : outcome;
}

async function removeCreated(
  { bucket, key, versionOrEtag, signedAt }: ObjectToUndo,
  author: Author,
  { objectStore, events, database, context }: ServiceTools,
): Promise<Outcome> {
  const existing = await objectStore.describeObject({ bucket, key }, context);
  if (existing === null) {
    // By an earlier attempt; otherwise, somebody has moved it.
    const isOwn = await hasOwnDeletion(database, { bucket, key }, author, earliestSince(signedAt));
    return isOwn ? "done" : "uncounted";
  }
  if (existing.etag !== versionOrEtag) return "changed";
  // Somebody may have uploaded the same bytes since.
  if (await wasUploadedSince({ ...existing, bucket, key }, signedAt, database)) return "changed";
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
    return "uncounted";
  }
  return "done";
}
