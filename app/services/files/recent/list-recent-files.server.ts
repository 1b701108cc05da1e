import { isAddressable, isFolderMarker, prefixOf } from "platform-embed-element/client";
import type { ServiceTools } from "../../../embed/service";
import { findVisibleEvents } from "../../../events/visible-events.server";
import { AppError } from "../../../shared/app-error";
import { fileEntry } from "../browse/key-rows.server";
import { runBounded } from "../changes/each-object.server";
import type { RecentFile, RecentFiles } from "../place/contract/storage-contract.server";
import { askOnceWhetherKeepsVersions } from "../place/keeps-versions.server";
import { checkedVersion } from "../place/required-tag.server";
import { allows, assertBucketInScope, type FilesGrant } from "../place/scope-guards.server";
import { type AddedFile, addingTypes, findAdded } from "./find-added.server";

const MAX_FILES = 50;
/** Older events are not read, days. */
const MAX_AGE_DAYS = 30;
/** Events that one request reads. */
const MAX_EVENTS = 10_000;
/** What one request asks the store: a file that was deleted counts, too. */
const bounds = { ms: 2_000, objects: 500, concurrency: 8 };

/**
 * Lists the files that were added last, within the token's folder, as the record of events tells it. The store is asked for each of them:
 * only those are listed that still exist and may be read.
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
  const existing: RecentFile[] = [];

  const look = async ({ key, event }: AddedFile) => {
    const checked = await checkedVersion({ bucket, key }, scope.requireTag, tools, keepsVersions).catch(
      (error: unknown) => {
        if (error instanceof AppError && (error.code === "being_checked" || error.code === "blocked"))
          return null;
        throw error;
      },
    );
    const object = checked && (await objectStore.describeObject({ bucket, key, ...checked }, context));
    if (object === null || isFolderMarker(key, object.size)) return;
    const { size, etag, modified } = object;
    existing.push({
      ...fileEntry({ key, size, etag, lastModified: new Date(modified * 1_000) }),
      addedAt: event.occurredAt,
      ...(withVisitors && event.visitor !== null && { visitor: event.visitor }),
    });
  };

  const after = new Date((nowSeconds - MAX_AGE_DAYS * 86_400) * 1_000).toISOString();
  const reach = { companyId, bucket, prefix: prefixOf(scope.path ?? "/") };
  const events = findVisibleEvents({ type: [...addingTypes], after }, reach, database);
  await runBounded(
    addressable(findAdded(firstPages(events))),
    bounds,
    look,
    () => existing.length >= MAX_FILES,
  );
  const newestFirst = existing.sort((one, other) => (one.addedAt < other.addedAt ? 1 : -1));
  return { files: newestFirst.slice(0, MAX_FILES) };
}

/** The first pages, of at most `MAX_EVENTS` events together. */
async function* firstPages<Event>(pages: AsyncIterable<readonly Event[]>): AsyncGenerator<readonly Event[]> {
  let read = 0;
  for await (const page of pages) {
    yield page;
    read += page.length;
    if (read >= MAX_EVENTS) return;
  }
}

/** Only these can be opened and downloaded. */
async function* addressable(files: AsyncIterable<AddedFile>): AsyncGenerator<AddedFile> {
  for await (const file of files) if (isAddressable(file.key)) yield file;
}
