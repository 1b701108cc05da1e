import type { ServiceTools } from "../../../embed/service";
import { authorOf } from "../../../events/event";
import { RecordedChange } from "../../../events/recorded-change.server";
import type { ObjectVersion } from "../../../providers/listings.server";
import { AppError } from "../../../shared/app-error";
import { digestOf, type Progress, readCursor, signCursor } from "../changes/change-cursor.server";
import { each, requestBounds, runBounded } from "../changes/run-bounded";
import type { FilesGrant } from "../scope-guards.server";
import type { Purged, PurgeRequest } from "./history-contract.server";
import { assertVersionsInScope } from "./history-guards.server";
import { versionsOfFile } from "./walk-versions";

/**
 * Permanently deletes versions, or all versions of deleted files, up to one request's limits. The cursor continues. The current content of a
 * file is never deleted: use `delete`, which can be undone. Repeating a request does no harm.
 * @throws AppError `scope_not_allowed`, `invalid_request`, and those of the store
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
  const digest = digestOf({ companyId, bucket, items });
  const progress: Progress = cursor === undefined ? { index: 0 } : readCursor(cursor, digest, tools);
  const failed: Purged["failed"] = [];
  let [purged, done] = [0, 0];

  const remaining = [...items.entries()].slice(progress.index);
  const { last, isComplete } = await runBounded(each(remaining), bounds, async ([, item]) => {
    try {
      const versions: ObjectVersion[] = [];
      for await (const version of versionsOfFile({ bucket, key: item.key }, tools)) versions.push(version);
      const [newest] = versions;
      const wanted =
        item.versionId === undefined
          ? versions
          : versions.filter(({ versionId }) => versionId === item.versionId);
      // If the newest version went, an older one would silently become the content. If only the delete marker went, a deleted file would return.
      const isLatest =
        newest !== undefined && wanted.includes(newest) && !(item.versionId === undefined && newest.isMarker);
      if (isLatest) {
        failed.push({ ...item, code: "is_latest" });
        return;
      }
      // Oldest first, so that the delete marker hides the other versions until the end.
      for (const version of wanted.reverse()) await purge(version);
      done += 1;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "provider_failed") throw error;
      failed.push({ ...item, code: "provider_failed" });
    }
  });
  const next = isComplete || last === undefined ? null : { index: last[0] + 1 };
  return { purged, done, failed, cursor: next && signCursor(next, digest, tools) };

  async function purge({ key, versionId, size, etag, isMarker }: ObjectVersion): Promise<void> {
    const remove = () => objectStore.removeObject({ bucket, key, version: versionId }, context);
    if (isMarker) {
      await remove();
      return;
    }
    const data = { version: versionId, size, etag };
    const event = { ...author, type: "file.purged", bucket, key, data } as const;
    await new RecordedChange(events, event).run({}, remove);
    purged += 1;
  }
}
