import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { PendingChange } from "../../../events/pending-change.server";
import type { ObjectVersion } from "../../../providers/listings.server";
import { hasCode } from "../../../shared/app-error";
import { continueRequest } from "../changes/change-cursor.server";
import { requestBounds, runBounded } from "../changes/each-object.server";
import type { Purged, PurgeRequest } from "../place/contract/history-contract.server";
import type { FilesGrant } from "../place/scope-guards.server";
import { versionsOfFile } from "../place/walk-versions";
import { assertVersionsInScope } from "./history-guards.server";

/** Versions of one file that are deleted before it is looked up again. */
const MAX_UNCHECKED_VERSIONS = 100;

type PurgedVersion = Pick<ObjectVersion, "key" | "versionId" | "size" | "etag" | "isMarker">;

/**
 * Permanently deletes versions, or all versions of deleted files, up to one request's limits. The cursor continues, also within a file. The
 * current content of a file is never deleted: use `delete`, which can be undone. Repeating a request does no harm.
 * @throws AppError `scope_not_allowed`, `invalid_request`, `upload_conflict`, and those of the store
 */
export async function purgeVersions(
  { bucket, items, cursor }: PurgeRequest,
  grant: FilesGrant,
  tools: ServiceTools,
  bounds = requestBounds,
): Promise<Purged> {
  const { scope, companyId } = grant;
  assertVersionsInScope("purge", { bucket, items }, scope);
  const { objectStore, events, context } = tools;
  const author = authorOf(grant, context);
  const { progress, cursorAt, longChange } = continueRequest({ companyId, bucket, items }, cursor, tools);
  const failed: Purged["failed"] = [];
  const unfinished: number[] = [];
  let [purged, done] = [0, 0];

  const begun = progress.unfinished ?? [];
  const waiting = [...begun, ...items.keys()].filter(
    (index, at) => at < begun.length || index >= progress.index,
  );
  const concurrencyInFile = Math.max(1, Math.floor(bounds.concurrency / waiting.length));
  const names = items.map(({ key }) => ({ bucket, key }));
  /** when no more work is begun, by `performance.now` */
  let end = 0;
  return tools.claims.during(names, context, purgeAll, longChange);

  async function purgeAll(): Promise<Purged> {
    end = performance.now() + bounds.ms;
    const { last } = await runBounded(waiting, bounds, purgeItem);
    const others = last === undefined ? waiting : waiting.slice(waiting.indexOf(last) + 1);
    const index = others.find((one) => one >= progress.index) ?? items.length;
    const rest = { index, unfinished: [...unfinished, ...others.filter((one) => one < index)] };
    const isComplete = index === items.length && rest.unfinished.length === 0;
    return { purged, done, failed, cursor: cursorAt(isComplete ? null : rest) };
  }

  async function purgeItem(index: number): Promise<void> {
    const item = items[index];
    if (item === undefined) return;
    const { key, versionId } = item;
    try {
      const outcome = await (versionId === undefined ? purgeFile(key) : purgeVersion(key, versionId));
      if (outcome === "done") done += 1;
      else if (outcome === "more") unfinished.push(index);
      else failed.push({ ...item, code: outcome });
    } catch (error) {
      if (!hasCode(error, "provider_failed")) throw error;
      failed.push({ ...item, code: "provider_failed" });
    }
  }

  async function purgeVersion(key: string, versionId: string): Promise<"done" | "is_latest" | "not_found"> {
    // If the newest version went, an older one would silently become the content.
    const [newest] = await newestOf(key, 1);
    if (newest?.versionId === versionId && !newest.isMarker) return "is_latest";
    const version = await objectStore.describeVersion({ bucket, key, versionId }, context);
    // If a delete marker went, a deleted file would return.
    if (version === "marker") return "not_found";
    if (version !== null) await purge({ key, versionId, ...version, isMarker: false });
    return "done";
  }

  /**
   * The delete marker hides the file until all else is gone, and the version that could be restored is the last one before it. So somebody
   * who restores the file meanwhile gets its content, and then nothing more is deleted.
   */
  async function purgeFile(key: string): Promise<"done" | "more" | "is_latest"> {
    for (;;) {
      const versions = await newestOf(key, MAX_UNCHECKED_VERSIONS);
      const [marker] = versions;
      if (marker === undefined) return "done";
      if (!marker.isMarker) return "is_latest";
      const content = versions.find(({ isMarker }) => !isMarker);
      const older = versions.filter((version) => version !== marker && version !== content);
      if (older.length === 0) {
        if (content !== undefined) await purge(content);
        await purge(marker);
        return "done";
      }
      const ms = end - performance.now();
      const limits = { ms, objects: MAX_UNCHECKED_VERSIONS, concurrency: concurrencyInFile };
      await runBounded(older, limits, purge);
      if (performance.now() >= end) return "more";
    }
  }

  async function newestOf(key: string, count: number): Promise<ObjectVersion[]> {
    const versions: ObjectVersion[] = [];
    for await (const version of versionsOfFile({ bucket, key }, tools, count)) {
      versions.push(version);
      if (versions.length === count) break;
    }
    return versions;
  }

  async function purge({ key, versionId, size, etag, isMarker }: PurgedVersion): Promise<void> {
    const remove = () => objectStore.removeObject({ bucket, key, version: versionId }, context);
    if (isMarker) {
      await remove();
      return;
    }
    const data = { version: versionId, size, etag };
    const event = { ...author, type: "file.purged", bucket, key, data } as const;
    await new PendingChange(events, event).run({}, remove);
    purged += 1;
  }
}
