import { hash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import { readSignedValue, signValue } from "../../../embed/signed-value.server";
import { type Author, authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import { earliestSince } from "../../../providers/listings.server";
import { AppError, hasCode, invalidRequest } from "../../../shared/app-error";
import { mapConcurrently } from "../../../shared/map-concurrently";
import {
  MAX_UNDO_LENGTH,
  type Restored,
  type RestoreFailure,
  type UndoRequest,
} from "../place/contract/changes-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import { type Room, roomOf } from "../place/room.server";
import {
  assertActionInScope,
  assertBelowUploadFolder,
  assertBucketInScope,
  assertChangeableInScope,
  type FilesGrant,
  senderOf,
} from "../place/scope-guards.server";
import { hasOwnDeletion, selectOwnMarkers } from "./changes.sql.server";
import { type CreatedObject, type DeletedObject, Outcomes } from "./each-object.server";
import { findTop, removeMarkers, restoreReplaced } from "./restore-version.server";
import { wasUploadedSince } from "./was-uploaded-since.server";

/*
 * Undoing on the server: the handle that the response of a change has, and the request that sends it back.
 */

/** how long a change can be undone */
const LIFETIME_SECONDS = 24 * 3600;
/** Keys, versions and ETags in one handle: in base64 they fit into what `restore` accepts, even without any compression. */
const MAX_LIST_BYTES = MAX_UNDO_LENGTH * 0.7;

/** What each kind of handle is signed for. */
const purposes = {
  /** objects to bring back */
  deleted: "files-undo",
  /** objects to remove, or to replace with what was there before */
  created: "files-undo-created",
} as const;
type UndoKind = keyof typeof purposes;

type UndoneObject = DeletedObject | CreatedObject;

/** The objects of one response. */
export class UndoList {
  readonly #objects: UndoneObject[] = [];
  #bytes = 0;

  constructor(readonly kind: UndoKind) {}

  add(object: UndoneObject): void {
    this.#objects.push(object);
    this.#bytes += Buffer.byteLength(JSON.stringify(entryOf(object))) + 1;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_LIST_BYTES;
  }

  get objects(): readonly UndoneObject[] {
    return this.#objects;
  }
}

const signedSchema = z.object({
  companyId: z.string(),
  /** who has made the change: `senderOf` */
  sender: z.string(),
  bucket: z.string(),
  /** SHA-256 of the list */
  list: z.string(),
  /** unix seconds */
  exp: z.int(),
});
const listSchema = z.array(z.tuple([z.string(), z.string(), z.string().optional()]));

function entryOf(object: UndoneObject): string[] {
  if ("marker" in object) return [object.key, object.marker];
  const { key, etag, replaced } = object;
  return replaced === undefined ? [key, etag] : [key, etag, replaced];
}

/** Returns `signed~list`: the list is compressed, and the signed value contains its hash. Null if there is nothing to undo. */
export function signUndo(
  { kind, objects }: Pick<UndoList, "kind" | "objects">,
  bucket: string,
  grant: FilesGrant,
  tools: ServiceTools,
): string | null {
  if (objects.length === 0) return null;
  const [secret] = tools.signingSecrets;
  const sorted = objects.map(entryOf).sort();
  const list = deflateRawSync(JSON.stringify(sorted)).toString("base64url");
  const exp = tools.nowSeconds + LIFETIME_SECONDS;
  const { companyId } = grant;
  const signed = { companyId, sender: senderOf(grant), bucket, list: hashOf(list), exp };
  return `${signValue(signed, secret, purposes[kind])}~${list}`;
}

/**
 * @returns `signedAt`: unix seconds
 * @throws AppError `invalid_request` when we did not sign it or it is older than a day; `scope_not_allowed` when it is another
 * company's, API key's or visitor's
 */
export function readUndo(
  undo: string,
  bucket: string,
  grant: FilesGrant,
  tools: ServiceTools,
): Pick<UndoList, "kind" | "objects"> & { signedAt: number } {
  const [signed = "", list = "", ...rest] = undo.split("~");
  const read = (kind: UndoKind) => readSignedValue(signed, tools.signingSecrets, purposes[kind]);
  const deleted = read("deleted");
  const { data } = signedSchema.safeParse(deleted ?? read("created"));
  if (data === undefined || data.bucket !== bucket || data.list !== hashOf(list) || rest.length > 0) {
    throw invalidRequest([{ path: "undo", message: "is not what a change of this bucket returned" }]);
  }
  if (data.companyId !== grant.companyId || data.sender !== senderOf(grant)) {
    throw new AppError("scope_not_allowed", "That change was made by somebody else.");
  }
  if (tools.nowSeconds >= data.exp) {
    throw invalidRequest([{ path: "undo", message: "is older than a day" }]);
  }
  const entries = listSchema.parse(JSON.parse(inflateRawSync(Buffer.from(list, "base64url")).toString()));
  const kind = deleted === null ? "created" : "deleted";
  return {
    kind,
    signedAt: data.exp - LIFETIME_SECONDS,
    objects: entries.map(([key, id, replaced]) =>
      kind === "deleted" ? { key, marker: id } : { key, etag: id, replaced },
    ),
  };
}

const hashOf = (list: string) => hash("sha256", list, "base64url");

/** Maximum number of concurrent requests to the store. */
const MAX_CONCURRENT_REQUESTS = 16;

type Outcome = "done" | "uncounted" | RestoreFailure;

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
  if (objects.some((object) => "replaced" in object && object.replaced !== undefined))
    assertActionInScope("history", grant.scope);
  const { requireTag } = grant.scope;
  const room = roomOf(grant, tools);
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);
  const author = authorOf(grant, tools.context);
  const outcomes = new Outcomes<RestoreFailure>(tools.context);
  const names = objects.map(({ key }) => ({ bucket, key }));
  await tools.claims.during(names, tools.context, async () => {
    for (const group of kind === "deleted" ? [objects] : byDepth(objects)) {
      await mapConcurrently(group, MAX_CONCURRENT_REQUESTS, (object) =>
        outcomes.count(object.key, undoOne(object)),
      );
    }
  });
  return { restored: outcomes.done, failed: outcomes.failed, cursor: null };

  function undoOne(object: UndoneObject): Promise<Outcome> {
    if ("marker" in object) return undoDeletion({ bucket, ...object }, author, room, tools);
    return object.replaced
      ? restoreReplaced({ bucket, ...object, requireTag, room, keepsVersions }, author, tools)
      : removeCreated({ bucket, ...object, signedAt }, author, tools);
  }
}

/** Files first, then folders, the innermost first: a folder's own object is removed only when nothing else is in the folder. */
function byDepth(objects: readonly UndoneObject[]): UndoneObject[][] {
  const depthOf = ({ key }: UndoneObject) =>
    key.endsWith("/") ? key.split("/").length : Number.POSITIVE_INFINITY;
  const depths = [...new Set(objects.map(depthOf))].sort((one, other) => other - one);
  return depths.map((depth) => objects.filter((object) => depthOf(object) === depth));
}

/**
 * Removes the delete marker that a deletion has made. If the file was restored since, and the author has undone that, removes the marker of
 * that instead, and no other.
 * @returns `name_taken` if a newer file has the name, `changed` if somebody has deleted the file again, `done` also if an earlier attempt has
 * brought it back, `not_found` if it was purged, `quota_exceeded` if there is no room for it
 */
async function undoDeletion(
  { bucket, key, marker: versionId }: DeletedObject & { bucket: string },
  author: Author,
  room: Room | undefined,
  tools: ServiceTools,
): Promise<Outcome> {
  const { markers, newest } = await findTop({ bucket, key }, tools);
  if (newest === undefined) return "not_found";
  const [marker, ...others] = markers;
  // Of one second, a listing does not tell whether a marker is above or below a version. The one of a move away may be below.
  const isHidden = others.some(({ lastModified }) => lastModified > newest.lastModified);
  const isGone = async () =>
    (await tools.objectStore.describeVersion({ bucket, key, versionId }, tools.context)) === null;
  if (marker === undefined) return (await isGone()) ? "done" : "name_taken";
  const isOwn = async () => {
    const asked = [{ key, marker: marker.versionId }];
    return (await selectOwnMarkers(tools.database, bucket, asked, author)).length > 0;
  };
  const isIts = marker.versionId === versionId;
  const mayRemove = isIts || (others.length === 0 && (await isGone()) && (await isOwn()));
  if (isHidden || !mayRemove) return "changed";
  const removed = await removeMarkers({ bucket, key }, { markers: [marker], newest }, author, room, tools);
  return removed === "quota_exceeded" ? removed : "done";
}

/** @param object `signedAt`: when it was created, unix seconds */
async function removeCreated(
  { bucket, key, etag, signedAt }: CreatedObject & { bucket: string; signedAt: number },
  author: Author,
  { objectStore, events, database, context }: ServiceTools,
): Promise<Outcome> {
  const existing = await objectStore.describeObject({ bucket, key }, context);
  if (existing === null) {
    // By an earlier attempt; otherwise, somebody has moved it.
    const isOwn = await hasOwnDeletion(database, { bucket, key }, author, earliestSince(signedAt));
    return isOwn ? "done" : "uncounted";
  }
  if (existing.etag !== etag) return "changed";
  // Somebody may have uploaded the same bytes since.
  if (await wasUploadedSince({ ...existing, bucket, key }, signedAt, database)) return "changed";
  if (key.endsWith("/")) {
    const { entries } = await objectStore.listBelow({ bucket, prefix: key, pageSize: 2 }, context);
    if (entries.some((entry) => entry.key !== key)) return "not_empty";
  }
  try {
    const change = new PendingChange(events, { ...author, type: "file.deleted", bucket, key, data: {} });
    const { size } = existing;
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
