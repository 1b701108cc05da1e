import { Batches } from "../../../../embed-element/shared/batches";
import type { ServiceTools } from "../../../embed/service";
import type { ObjectContent, ObjectVersion } from "../../../providers/listings.server";
import type { ObjectDescription, ObjectName } from "../../../providers/object-changes.server";
import { hasCode } from "../../../shared/app-error";
import { storableText } from "../../../shared/storable-text";
import { versionsOfFile } from "../place/walk-versions";
import { findMoveBackAttempt, findMovedVersions } from "./changes.sql.server";
import { type MadeCopy, type ObjectCopy, storedOf, versionToCopy } from "./copy-object.server";
import { copyMarkOf, isSameContent } from "./recognize-copy.server";

/** A file that is moved, and where it goes. */
type Move = Pick<ObjectCopy, "bucket" | "key" | "to">;

/** What a move has taken away, and can be brought back. */
type TakenVersion = Pick<ObjectVersion, "versionId" | "size" | "etag"> &
  /** the delete marker that hides it, or has hidden it before an earlier attempt; undefined if that is recorded */
  ({ isHidden: true; marker: string } | { isHidden: false; marker: string | undefined });

/**
 * Takes a move of the last day back without a copy, in a bucket that keeps versions: the delete marker that the move has left is removed, so
 * the version that it took is the newest again, with its date. docs/decisions/0161
 */
export class MoveBack {
  readonly #moved: Batches<Pick<Move, "key" | "to">, string | undefined>;

  /** @param bucket the one in which everything is moved */
  constructor(
    bucket: string,
    private readonly companyId: string,
    private readonly tools: ServiceTools,
  ) {
    this.#moved = new Batches(async (moves) => {
      const rows = await findMovedVersions(tools.database, { bucket, companyId }, moves);
      return moves.map(
        ({ key, to }) => rows.find((row) => row.key === key && row.to === to)?.version ?? undefined,
      );
    });
  }

  /**
   * Brings back the version from which the last move has copied the file, if nobody has changed either of them since. The file is still at
   * `key` then.
   * @param source the file, as it was described or listed
   * @returns what is at `to` now; undefined if the file has to be copied
   * @throws AppError those of the store
   */
  async bringBack(move: ObjectCopy, source: ObjectContent): Promise<MadeCopy | "quota_exceeded" | undefined> {
    const { bucket, to, change, room } = move;
    const taken = await this.#findTaken(move, source);
    if (taken === undefined) return undefined;
    const { versionId, size, etag, marker } = taken;
    // Whether the marker is still there tells `npm run cleanup` how far this came.
    await change.recordPending({ size, etag, restoredVersion: versionId, version: marker });
    // If the store does not answer from here on, nobody knows whether the version is back: then the room is held to its end.
    const stored = storedOf(move, source);
    if (room && !(await room.hasTaken(stored))) return "quota_exceeded";
    const isBack = !taken.isHidden || (await this.#removeMarker({ bucket, key: to, version: taken.marker }));
    await room?.end(stored.uploadId);
    if (!isBack) {
      await change.recordPending({ restoredVersion: undefined, version: undefined });
      return undefined;
    }
    change.noteMade({ version: undefined }, "file.restored");
    return { etag, version: versionId, isBroughtBack: true };
  }

  /**
   * Whether the file at `to` has been brought back by an attempt that was interrupted before it has removed the copy.
   * @param existing the file at `to`
   */
  async isInterrupted(move: Move, source: ObjectContent, existing: ObjectDescription): Promise<boolean> {
    const { bucket, key, to } = move;
    const { versionId } = existing;
    if (versionId === undefined || (await this.#findAttempt(move, versionId)) === undefined) return false;
    const copy = await this.tools.objectStore.describeObject({ bucket, key }, this.tools.context);
    if (copy?.etag !== source.etag) return false;
    return this.#isCopyOf({ ...existing, bucket, key: to, versionId }, copy);
  }

  /** Undefined also if the store does not let us look, or if the version must not be read: the copy has tags of its own. */
  async #findTaken(move: ObjectCopy, source: ObjectContent): Promise<TakenVersion | undefined> {
    const { bucket, key, to, requireTag } = move;
    const version = await this.#moved.add({ key: storableText(key), to: storableText(to) });
    if (version === undefined) return undefined;
    try {
      const copy = await this.tools.objectStore.describeObject({ bucket, key }, this.tools.context);
      if (copy?.versionId !== version || copy.etag !== source.etag) return undefined;
      const [top, below] = await this.#newestVersions({ bucket, key: to });
      const taken = top?.isMarker ? below : top;
      if (top === undefined || taken === undefined || taken.isMarker) return undefined;
      const { versionId, size, etag } = taken;
      if (!(await this.#isCopyOf({ bucket, ...taken }, copy))) return undefined;
      if ((await versionToCopy({ bucket, key: to, versionId, requireTag }, taken, this.tools)) === null)
        return undefined;
      if (top.isMarker) return { versionId, size, etag, isHidden: true, marker: top.versionId };
      const attempt = await this.#findAttempt(move, versionId);
      return attempt && { versionId, size, etag, isHidden: false, marker: attempt.marker ?? undefined };
    } catch (error) {
      if (hasCode(error, "provider_failed", "being_checked", "blocked")) return undefined;
      throw error;
    }
  }

  /** `marker`: null if the attempt is recorded */
  #findAttempt({ bucket, key, to }: Move, versionId: string): Promise<{ marker: string | null } | undefined> {
    const { database } = this.tools;
    return findMoveBackAttempt(database, { bucket, companyId: this.companyId, key, to }, versionId);
  }

  /** Whether a copy has the content of a version that was at another key. */
  async #isCopyOf(
    version: ObjectName & Pick<ObjectVersion, "versionId" | "size" | "etag">,
    copy: ObjectDescription,
  ): Promise<boolean> {
    if (version.size !== copy.size) return false;
    if (version.etag === copy.etag || copy.copyMark === copyMarkOf(version, version)) return true;
    const described = await this.tools.objectStore.describeVersion(version, this.tools.context);
    return described !== null && described !== "marker" && isSameContent(described, copy);
  }

  /** The two newest versions or delete markers. */
  async #newestVersions(object: ObjectName): Promise<ObjectVersion[]> {
    const newest: ObjectVersion[] = [];
    for await (const version of versionsOfFile(object, this.tools)) if (newest.push(version) === 2) break;
    return newest;
  }

  /** @returns false if the store does not let us remove it */
  async #removeMarker({ bucket, key, version }: ObjectName & { version: string }): Promise<boolean> {
    const { objectStore, context } = this.tools;
    try {
      await objectStore.removeObject({ bucket, key, version }, context);
      return true;
    } catch (error) {
      if (!hasCode(error, "provider_failed")) throw error;
      return (await objectStore.describeObject({ bucket, key }, context)) !== null;
    }
  }
}
