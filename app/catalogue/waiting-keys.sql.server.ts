/* Keys that have changed, about which the store is still to be asked. SQL, because each statement goes by the database's clock. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import type { ObjectName } from "../providers/object-changes.server";
import { NOW, sql } from "../providers/sql.server";
import { CLOCK_TIME, type Moment } from "./clock.sql.server";
import { fromStoredKey, toStoredKey } from "./stored-key";

type Run = Pick<Database, "$driverQuery">;

/** How long a process has for the keys that it was told of, or that it has claimed. Then the worker asks about them. */
const LEASE_SECONDS = 30;
const LEASE_END = sql`${NOW} + make_interval(secs => ${LEASE_SECONDS})`;

/** Keys of a catalogue that may wait. Further ones are left to a scan. */
export const MAX_WAITING_KEYS = 100_000;
/** In place of these: no object has this key. It is never due, and the end of a scan that has begun after them deletes it. */
export const FURTHER_KEYS = "";

const nameSchema = z.object({ bucket: z.string(), key: z.string().transform(fromStoredKey) });

const columnsOf = (names: readonly ObjectName[]) =>
  sql`unnest(${names.map(({ bucket }) => bucket)}::text[], ${names.map(({ key }) =>
    toStoredKey(key),
  )}::text[])`;

/**
 * Writes keys that have changed, if their buckets have catalogues. To be called when the store has made the change. In one order, because other
 * processes may write the same keys.
 *
 * - `changed`: the lock keeps these catalogues until the statement has ended.
 * - `full`: those for which so many keys wait that a scan finds the changes sooner. One row asks for it, instead of the keys.
 * @param names each once
 * @returns those that were written
 */
export const addWaitingKeys = (database: Run, names: readonly ObjectName[]): Promise<ObjectName[]> =>
  database.$driverQuery(
    sql`
      WITH changed AS (
        SELECT id, given.* FROM ${columnsOf(names)} AS given(bucket, key)
        JOIN catalogues ON catalogues.bucket = given.bucket AND NOT is_being_removed FOR KEY SHARE OF catalogues
      ), "full" AS (
        SELECT id FROM (SELECT DISTINCT id FROM changed) AS these
        WHERE EXISTS (SELECT FROM catalogue_waiting_keys WHERE catalogue_id = these.id OFFSET ${MAX_WAITING_KEYS - 1})
      ), written AS (
        INSERT INTO catalogue_waiting_keys AS waiting (catalogue_id, key, changed_at, due_at)
        SELECT id, key, ${CLOCK_TIME}, due_at FROM (
          SELECT id, key, ${LEASE_END} AS due_at FROM changed WHERE id NOT IN (SELECT id FROM "full")
          UNION ALL SELECT id, ${FURTHER_KEYS}, 'infinity' FROM "full"
        ) AS waits ORDER BY id, key COLLATE "C"
        ON CONFLICT (catalogue_id, key) DO UPDATE SET changed_at = greatest(waiting.changed_at, excluded.changed_at), due_at = excluded.due_at
      )
      SELECT bucket, key FROM changed WHERE id NOT IN (SELECT id FROM "full")`,
    nameSchema,
  );

/**
 * Claims keys that are due: those of processes that were killed, or could not reach the store. Which buckets have their turn is left to chance:
 * the one with the oldest keys may have a hundred thousand of them.
 * @param limits `buckets`: at most so many, and `keys` of each, the oldest first
 * @param except buckets that are left alone
 */
export const claimWaitingKeys = (
  database: Run,
  { buckets, keys }: { buckets: number; keys: number },
  except: readonly string[],
): Promise<ObjectName[]> =>
  database.$driverQuery(
    sql`
      WITH chosen AS (
        SELECT id, bucket FROM catalogues WHERE bucket <> ALL(${except}::text[])
          AND EXISTS (SELECT FROM catalogue_waiting_keys WHERE catalogue_id = catalogues.id AND due_at <= ${NOW})
        ORDER BY random() LIMIT ${buckets}
      ), due AS (
        SELECT bucket, id, oldest.key FROM chosen CROSS JOIN LATERAL (
          SELECT key FROM catalogue_waiting_keys WHERE catalogue_id = chosen.id AND due_at <= ${NOW}
          ORDER BY due_at LIMIT ${keys} FOR UPDATE SKIP LOCKED) AS oldest
      )
      UPDATE catalogue_waiting_keys AS waiting SET due_at = ${LEASE_END} FROM due
      WHERE (waiting.catalogue_id, waiting.key) = (due.id, due.key)
      RETURNING bucket, waiting.key`,
    nameSchema,
  );

/** Deletes keys about which the store was asked after `askedAt`, unless they have changed since. */
export async function deleteWaitingKeys(
  database: Run,
  names: readonly ObjectName[],
  askedAt: Moment,
): Promise<void> {
  await database.$driverQuery(sql`
    DELETE FROM catalogue_waiting_keys WHERE (catalogue_id, key) IN (
      SELECT waiting.catalogue_id, waiting.key FROM ${columnsOf(names)} AS given(bucket, key)
      JOIN catalogues ON catalogues.bucket = given.bucket
      JOIN catalogue_waiting_keys AS waiting ON waiting.catalogue_id = catalogues.id AND waiting.key = given.key COLLATE "C"
      WHERE changed_at <= ${askedAt}::timestamp ORDER BY 1, 2 FOR UPDATE OF waiting)
      AND changed_at <= ${askedAt}::timestamp`);
}
