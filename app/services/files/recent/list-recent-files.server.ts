import { isAddressable, isFolderMarker, prefixOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import type { StoredEvent } from "../../../events/stored-event.server";
import { findVisibleEvents } from "../../../events/visible-events.server";
import { type AppError, hasCode } from "../../../shared/app-error";
import { logWarning } from "../../../shared/log.server";
import { fileEntry } from "../browse/key-rows.server";
import { runBounded } from "../changes/each-object.server";
import type { RecentFile, RecentFiles } from "../place/contract/storage-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import { checkedVersion } from "../place/required-tag.server";
import { allows, assertBucketInScope, type FilesGrant } from "../place/scope-guards.server";
import { type AddedFile, findAdded, readTypes } from "./find-added.server";

const MAX_FILES = 50;
/** Older events are not read, days. */
const MAX_AGE_DAYS = 30;
/** Events that one request reads. */
const MAX_EVENTS = 10_000;
/** What one request asks the store. */
const bounds = { ms: 2_000, objects: 500, concurrency: 8 };

/**
 * Lists the files that were added last, within the token's folder, as the record of events tells it. The store is asked for each of them:
 * only those are listed that still exist and may be read. One that the store refuses to describe is left out, unless it refuses all of them.
 * @throws AppError `scope_not_allowed`, `unavailable` without the database, and those of the store
 */
export async function listRecentFiles(
  { bucket }: { bucket: string },
  { scope, companyId }: FilesGrant,
  tools: ServiceTools,
): Promise<RecentFiles> {
  assertBucketInScope(bucket, scope);
  const { objectStore, context, database, nowSeconds } = tools;
  const withVisitors = allows("activity", scope);
  const keepsVersions = askOnceWhetherKeepsVersions(bucket, tools);
  const existing: { file: RecentFile; event: StoredEvent }[] = [];
  const refusals: AppError[] = [];
  let described = 0;
  /** the record has more events than are read */
  let isCut = false;

  const describe = async ({ key, event }: AddedFile) => {
    const checked = await checkedVersion({ bucket, key }, scope.requireTag, tools, keepsVersions);
    const object = checked && (await objectStore.describeObject({ bucket, key, ...checked }, context));
    described += 1;
    if (object === null || isFolderMarker(key, object.size)) return;
    const { size, etag, modified } = object;
    const file = {
      ...fileEntry({ key, size, etag, lastModified: new Date(modified * 1_000) }),
      addedAt: event.occurredAt,
      ...(withVisitors && event.visitor !== null && { visitor: event.visitor }),
    };
    existing.push({ file, event });
  };
  const describeUnlessRefused = (added: AddedFile) =>
    describe(added).catch((error: unknown) => {
      if (hasCode(error, "being_checked", "blocked")) described += 1;
      else if (hasCode(error, "provider_failed")) refusals.push(error);
      else throw error;
    });

  const after = new Date((nowSeconds - MAX_AGE_DAYS * 86_400) * 1_000).toISOString();
  const reach = { companyId, bucket, prefix: prefixOf(scope.path ?? "/") };
  const events = findVisibleEvents({ type: [...readTypes], after }, reach, database);
  const isFull = () => existing.length >= MAX_FILES;
  const added = addressable(findAdded(firstPages()));
  const { isComplete } = await runBounded(added, bounds, describeUnlessRefused, isFull);
  const [refusal] = refusals;
  if (refusal !== undefined && described === 0) throw refusal;
  if (refusal !== undefined)
    logWarning(`${refusals.length} recent files are not listed. ${refusal.logDetail ?? ""}`, context);
  const newestFirst = existing.sort((one, other) => (positionOf(one) < positionOf(other) ? 1 : -1));
  return {
    files: newestFirst.slice(0, MAX_FILES).map(({ file }) => file),
    complete: refusal === undefined && (isFull() || (isComplete && !isCut)),
  };

  async function* firstPages() {
    let read = 0;
    for await (const page of events) {
      isCut = read >= MAX_EVENTS;
      if (isCut) return;
      yield page;
      read += page.length;
    }
  }
}

/** In the order of the record: by time, and within a millisecond by id. */
const positionOf = ({ event }: { event: StoredEvent }) => event.occurredAt + event.id;

/** Only these can be opened and downloaded. */
async function* addressable(files: AsyncIterable<AddedFile>): AsyncGenerator<AddedFile> {
  for await (const file of files) if (isAddressable(file.key)) yield file;
}
