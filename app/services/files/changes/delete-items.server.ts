import type { ServiceTools } from "../../../embed/service";
import { type Author, authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { wasRepeated } from "../../../providers/connection-errors";
import type { LatestVersion, ListedObject, Page } from "../../../providers/listings.server";
import { hasCode } from "../../../shared/app-error";
import { storableText } from "../../../shared/storable-text";
import type { Deleted, DeleteRequest } from "../place/contract/changes-contract.server";
import {
  assertActionInScope,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
} from "../place/scope-guards.server";
import { continueRequest, isAtBeginning } from "./change-cursor.server";
import { keyOrPrefix, readItems } from "./change-items";
import { selectOwnMarkers } from "./changes.sql.server";
import {
  type DeletedObject,
  endChange,
  Outcomes,
  positionAfter,
  requestBounds,
  runBounded,
  type WalkedEntry,
  walkObjects,
} from "./each-object.server";
import { keepFoldersOf } from "./keep-folders.server";
import { signUndo, UndoList } from "./undo.server";

/** A request without a cursor may be a retry: delete markers up to this many seconds older may be its own, if `findOwnMarkers` says so. */
const EARLIER_ATTEMPT_SECONDS = 600;
/** Maximum number of attempts for an object that somebody else keeps changing. */
const MAX_ATTEMPTS = 3;

/**
 * Deletes files and folders, up to one request's limits. The cursor continues. If the bucket keeps versions, the response has a handle that
 * restores what the response counts. That includes what an earlier attempt deleted whose response was lost. docs/decisions/0067
 * @throws AppError `scope_not_allowed`, `invalid_request`, `upload_conflict`, and those of the store
 */
export async function deleteItems(
  body: DeleteRequest,
  grant: FilesGrant,
  tools: ServiceTools,
): Promise<Deleted> {
  const { bucket } = body;
  const { objectStore, claims } = tools;
  const items = readItems(body.items);
  assertActionInScope("delete", grant.scope);
  assertBucketInScope(bucket, grant.scope);
  for (const { path } of items) assertChangeableInScope(path, grant.scope);

  const undoable = await objectStore.keepsVersions(bucket, tools.context);
  const nothing = { done: 0, failed: [], undo: null, undoable };
  if (body.check) return { ...nothing, cursor: null };
  const { companyId } = grant;
  const author = authorOf(grant, tools.context);
  const changeOf = (key: string) =>
    new PendingChange(tools.events, { ...author, type: "file.deleted", bucket, key, data: {} });
  const { progress, cursorAt, longChange } = continueRequest(
    { companyId, bucket, items },
    body.cursor,
    tools,
  );
  const now = objectStore.storeSeconds();
  if (body.cursor === undefined && undoable && items.some(({ isFolder }) => isFolder)) {
    // The cursor remembers when the request began: only younger delete markers in the folders can be its own.
    return { ...nothing, cursor: cursorAt({ ...progress, since: now }) };
  }

  const outcomes = new Outcomes(tools.context);
  const undo = new UndoList("deleted");
  const since = progress.since ?? now - EARLIER_ATTEMPT_SECONDS;
  const names = items.map((item) => ({ bucket, key: keyOrPrefix(item) }));
  return claims.during(names, tools.context, deleteAll, longChange);

  async function deleteAll(): Promise<Deleted> {
    if (isAtBeginning(progress)) await keepFoldersOf(bucket, items, [], requestBounds, author, tools);
    const { last, isComplete } = undoable
      ? await deleteEach(listNewest, removeUndoably)
      : await deleteEach(listObjects, removeForGood);
    const position = last === undefined ? progress : { ...progress, ...positionAfter(last) };
    return {
      done: outcomes.done,
      failed: outcomes.failed,
      cursor: cursorAt(isComplete ? null : position),
      undo: signUndo(undo, bucket, grant, tools),
      undoable,
    };
  }

  function deleteEach<Entry extends { key: string }>(
    listPage: (prefix: string, after: string | undefined) => Promise<Page<Entry>>,
    remove: (key: string, listed: Entry | undefined) => Promise<"done" | "uncounted" | "upload_conflict">,
  ) {
    const work = async ({ index, key, entry }: WalkedEntry<Entry>) => {
      if (items[index]?.isFolder && entry === undefined) return;
      await outcomes.count(key, remove(key, entry));
    };
    return runBounded(walkObjects(items, progress, listPage), requestBounds, work, () => undo.isFull);
  }

  function listObjects(prefix: string, after: string | undefined) {
    return objectStore.listBelow({ bucket, prefix, after }, tools.context);
  }

  async function listNewest(prefix: string, after: string | undefined) {
    const page = await objectStore.listVersionsBelow({ bucket, prefix, after }, tools.context);
    const recent = page.entries.filter(({ marker, deletedAt }) => !marker || deletedAt >= since);
    const isOwn = await findOwnMarkers(bucket, recent, author, tools);
    return { ...page, entries: recent.filter((entry) => entry.marker === undefined || isOwn(entry)) };
  }

  async function removeUndoably(key: string, listed: LatestVersion | undefined) {
    const change = changeOf(key);
    const work = removeKeepingVersion({ bucket, key, since, author, change }, listed, tools);
    const outcome = await endChange(change, work);
    if (typeof outcome === "string") return outcome;
    undo.add(outcome);
    return "done";
  }

  async function removeForGood(key: string, listed: ListedObject | undefined) {
    const change = changeOf(key);
    return endChange(change, removeUnversioned({ bucket, key, change }, listed, tools));
  }
}

/**
 * Deletes one object of a bucket that keeps no versions.
 * @param listed as it was listed; undefined if it was not
 * @returns `uncounted` if the object is gone, and not by this request
 */
async function removeUnversioned(
  { bucket, key, change }: Pick<ObjectToDelete, "bucket" | "key" | "change">,
  listed: ListedObject | undefined,
  { objectStore, context }: ServiceTools,
): Promise<"done" | "uncounted" | "upload_conflict"> {
  let found: Pick<ListedObject, "size" | "etag"> | null | undefined = listed;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    found ??= await objectStore.describeObject({ bucket, key }, context);
    if (found === null) {
      await change.end();
      return "uncounted";
    }
    const { size, etag } = found;
    await change.recordPending({ size, etag });
    try {
      await objectStore.removeObject({ bucket, key, etag }, context);
      change.noteMade();
      return "done";
    } catch (error) {
      if (!hasCode(error, "name_taken", "not_found")) throw error;
    }
    // It has changed, or is gone.
    found = undefined;
  }
  return "upload_conflict";
}

/**
 * Deletes one object of a bucket that keeps versions, and returns the delete marker: that of an earlier attempt, if there is one. With a
 * second marker on top, taking one away would not restore the object.
 * @param object `since`: unix seconds by the store's clock; older markers belong to other requests
 * @param listed the newest version; undefined if it is not known
 * @returns `uncounted` if the object is gone, and not by this request: then undoing must not bring it back
 */
async function removeKeepingVersion(
  { bucket, key, since, author, change }: ObjectToDelete,
  listed: LatestVersion | undefined,
  { objectStore, database, context }: ServiceTools,
): Promise<DeletedObject | "uncounted" | "upload_conflict"> {
  let latest = listed;
  let mayBeOwn = true;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    latest ??= await findLatest();
    if (latest?.marker !== undefined && mayBeOwn && latest.deletedAt >= since) {
      const isOwn = await findOwnMarkers(bucket, [latest], author, { database });
      if (isOwn(latest)) {
        // By an attempt of this request. If it was by an earlier request, this one has no pending row.
        change.noteMade({ version: latest.marker });
        return { key, marker: latest.marker };
      }
    }
    if (latest === undefined || latest.marker !== undefined) {
      // Somebody else has deleted or moved it. A pending row would make their marker look like this request's.
      await change.end();
      return "uncounted";
    }
    await change.recordPending({ size: latest.size, etag: latest.etag });
    try {
      const { marker } = await objectStore.removeObject({ bucket, key, etag: latest.etag }, context);
      if (marker !== undefined) {
        change.noteMade({ version: marker });
        return { key, marker };
      }
      mayBeOwn = true;
    } catch (error) {
      if (!hasCode(error, "name_taken", "not_found")) throw error;
      mayBeOwn = wasRepeated(error);
    }
    // It has changed or is gone: by an attempt whose response was lost, or by somebody else.
    latest = undefined;
  }
  return "upload_conflict";

  async function findLatest(): Promise<LatestVersion | undefined> {
    const page = { bucket, prefix: key, pageSize: 1 };
    const { entries } = await objectStore.listVersionsBelow(page, context);
    return entries.find((entry) => entry.key === key);
  }
}

interface ObjectToDelete {
  bucket: string;
  key: string;
  since: number;
  author: Author;
  change: PendingChange;
}

/** A delete marker; without `marker`, it is the version of an object. */
interface Marker {
  key: string;
  marker: string | undefined;
}

/**
 * Finds out which delete markers the author's deletions have made: those of the same API key and visitor. Others are somebody else's, or a
 * move's, however young they are.
 * @returns a function that tells whether a marker is the author's
 * @throws AppError `unavailable`
 */
async function findOwnMarkers(
  bucket: string,
  versions: readonly Marker[],
  author: Author,
  { database }: Pick<ServiceTools, "database">,
): Promise<(version: Marker) => boolean> {
  const markers = versions.flatMap(({ key, marker }) =>
    marker === undefined ? [] : { key: storableText(key), marker },
  );
  if (markers.length === 0) return () => false;
  const own = await selectOwnMarkers(database, bucket, markers, author);
  return ({ key, marker }) => own.some((one) => one.key === storableText(key) && one.marker === marker);
}
