import type { Database } from "../providers/database.server";
import type { ObjectName } from "../providers/object-changes.server";
import type { ObjectStore } from "../providers/object-store.server";
import { mapConcurrently } from "../shared/map-concurrently";
import type { CallContext } from "../shared/request-context.server";
import { type NotedObject, readClock } from "./objects.sql.server";

const MAX_CONCURRENT_REQUESTS = 4;

/**
 * Asks the store what it holds at some keys, for `noteObjects`. To be called when a change of them is made, or a notification has come: what the
 * store says is then right, whatever else has happened meanwhile and whoever notes first.
 *
 * It lists each key, so that rows are as those of a scan: a HEAD tells times without their fractions.
 * @param names each once
 * @throws AppError as `ObjectStore.list`; `unavailable`
 */
export async function observeObjects(
  {
    database,
    objectStore,
  }: { database: Pick<Database, "$driverQuery">; objectStore: Pick<ObjectStore, "listBelow"> },
  names: readonly ObjectName[],
  context?: CallContext,
): Promise<NotedObject[]> {
  const asOf = await readClock(database);
  return mapConcurrently(names, MAX_CONCURRENT_REQUESTS, async ({ bucket, key }) => {
    // Of all keys that begin so, the key itself is the first.
    const { entries } = await objectStore.listBelow({ bucket, prefix: key, pageSize: 1 }, context);
    return { bucket, key, asOf, object: entries.find((object) => object.key === key) ?? null };
  });
}
