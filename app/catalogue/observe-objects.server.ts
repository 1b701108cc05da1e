import { type Database, repeatOnDeadlock } from "../providers/database.server";
import type { ObjectName } from "../providers/object-changes.server";
import type { ObjectStore } from "../providers/object-store.server";
import { hasCode } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { mapConcurrently } from "../shared/map-concurrently";
import type { CallContext } from "../shared/request-context.server";
import { type ObservedObject, readClock, writeObserved } from "./objects.sql.server";
import { deleteWaitingKeys } from "./waiting-keys.sql.server";

/** Two buckets are asked at once, so these are half of the pages that the store is asked for at once (`MAX_CONCURRENT_PAGES`). */
const MAX_CONCURRENT_REQUESTS = 2;

/** What is needed to ask the store about single keys. */
export interface ObserveTools {
  database: Pick<Database, "$driverQuery">;
  objectStore: Pick<ObjectStore, "listBelow">;
}

/**
 * Asks the store what it holds at some keys, and writes that into the catalogues of their buckets. To be called when a change of them was made:
 * what the store says is then right, whatever else has happened meanwhile and whoever writes first. Then they no longer wait.
 *
 * It lists each key, so that rows are as those of a scan: a HEAD tells times without their fractions. What the store refuses is left to the
 * next scan.
 * @param names each once
 * @throws AppError `unavailable`: those that the store has not told still wait
 */
export async function observeObjects(
  { database, objectStore }: ObserveTools,
  names: readonly ObjectName[],
  context?: CallContext,
): Promise<void> {
  const asOf = await readClock(database);
  const asked: { name: ObjectName; observed: ObservedObject[] }[] = [];
  const observe = async ({ bucket, key }: ObjectName): Promise<ObservedObject[]> => {
    // Of all keys that begin so, the key itself is the first.
    const { entries } = await objectStore.listBelow({ bucket, prefix: key, pageSize: 1 }, context);
    return [{ bucket, key, asOf, object: entries.find((object) => object.key === key) ?? null }];
  };
  try {
    await mapConcurrently(names, MAX_CONCURRENT_REQUESTS, async (name) => {
      const observed = await observe(name).catch((thrown: unknown) => {
        if (hasCode(thrown, "unavailable")) throw thrown;
        logError(`A change in the bucket ${name.bucket} is left to the next scan.`, { thrown });
        return [];
      });
      asked.push({ name, observed });
    });
  } finally {
    // What the store has said before it was away is right. Requests that are still under way are not waited for.
    const answered = [...asked];
    const observed = answered.flatMap((one) => one.observed);
    // A scan locks the rows that exist in the same order, but adds new ones after all of these.
    await repeatOnDeadlock(() => writeObserved(database, observed));
    await deleteWaitingKeys(
      database,
      answered.map(({ name }) => name),
      asOf,
    );
  }
}
