/* The steps of a scan. SQL, because each of them decides and writes at once, goes by the database's clock, and may be repeated. README.md */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import type { ListedObject } from "../providers/listings.server";
import { NOW, numberFromText, type Sql, sql } from "../providers/sql.server";
import { insertChanges } from "./change-log.sql.server";
import { CLOCK_MOMENT, type Moment } from "./clock.sql.server";
import { foldedNameOf } from "./folded-name";
import { fromStoredKey, toStoredKey } from "./stored-key";
import { FURTHER_KEYS } from "./waiting-keys.sql.server";

type Run = Pick<Database, "$driverQuery">;

/** When others may go on with the range of a process that was killed. Each page renews it. */
const LEASE_SECONDS = 10;
const LEASE_END = sql`${NOW} + make_interval(secs => ${LEASE_SECONDS})`;
/** How long the row of a deleted object is kept. */
const KEEP_DELETED_HOURS = 24;
/** Rows that one step may compare or remove, so that it takes a fraction of a second. */
const MAX_ROWS_OF_STEP = 5_000;
/** If a step changes more rows, the log gets one row for all of them. */
const MAX_LOGGED_CHANGES = 1_000;

const storedKey = z.string().transform(fromStoredKey);

/** A range that this process lists. */
const takenRangeSchema = z.object({
  id: z.string(),
  /** listed up to this key; empty: nothing is */
  after: storedKey,
  /** its last key; null: it ends with the bucket */
  until: storedKey.nullable(),
  /** the moment of this statement */
  now: z.string(),
});
export type TakenRange = z.infer<typeof takenRangeSchema>;

/**
 * Finds buckets that are to be scanned: a scan is under way that nobody goes on with, the last complete one began too long ago, or more has changed
 * since than can wait. The one with the oldest scan comes first. Two processes that ask at the same moment may get the same: they share the scan.
 * @param options `minAgeSeconds`: of the last complete scan. `limit`: how many at most
 * @param except buckets that are left alone
 */
export async function findDueCatalogues(
  database: Run,
  { minAgeSeconds, limit }: { minAgeSeconds: number; limit: number },
  except: readonly string[],
): Promise<string[]> {
  const due = await database.$driverQuery(
    sql`
      SELECT bucket FROM catalogues WHERE NOT is_being_removed AND bucket <> ALL(${except}::text[])
        AND (scan_started_at IS NOT NULL OR scanned_at IS NULL OR scanned_at < ${NOW} - make_interval(secs => ${minAgeSeconds})
          OR EXISTS (SELECT FROM catalogue_waiting_keys WHERE catalogue_id = catalogues.id AND key = ${FURTHER_KEYS}))
        AND NOT EXISTS (SELECT FROM catalogue_ranges WHERE catalogue_id = catalogues.id AND NOT is_listed AND taken_until > ${NOW})
      ORDER BY scanned_at NULLS FIRST LIMIT ${limit}`,
    z.object({ bucket: z.string() }),
  );
  return due.map(({ bucket }) => bucket);
}

const RANGE = sql`id::text, after_key AS after, until_key AS until, ${CLOCK_MOMENT} AS now`;

/** Begins a scan with one range, the whole bucket, unless one is under way. */
export const beginScan = (database: Run, catalogueId: number) =>
  database.$driverQuery(sql`
    WITH begun AS (
      UPDATE catalogues SET scan_started_at = date_trunc('milliseconds', ${NOW}) WHERE id = ${catalogueId} AND scan_started_at IS NULL AND NOT is_being_removed RETURNING id
    )
    INSERT INTO catalogue_ranges (catalogue_id, after_key, taken_until) SELECT id, '', ${NOW} FROM begun`);

/** Takes a range that no living process has. */
export async function takeRange(database: Run, catalogueId: number): Promise<TakenRange | undefined> {
  const [range] = await database.$driverQuery(
    sql`
      UPDATE catalogue_ranges SET taken_until = ${LEASE_END} WHERE id = (
        SELECT id FROM catalogue_ranges WHERE catalogue_id = ${catalogueId} AND NOT is_listed AND taken_until <= ${NOW}
        ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING ${RANGE}`,
    takenRangeSchema,
  );
  return range;
}

/** Reads a range again, of which somebody else may have listed or taken a part. */
export async function readRange(database: Run, id: string): Promise<TakenRange | undefined> {
  const [range] = await database.$driverQuery(
    sql`SELECT ${RANGE} FROM catalogue_ranges WHERE id = ${id}::bigint AND NOT is_listed`,
    takenRangeSchema,
  );
  return range;
}

/** The ranges that are not listed to their end, the last one first. */
export const readOpenRanges = (database: Run, catalogueId: number): Promise<TakenRange[]> =>
  database.$driverQuery(
    sql`SELECT ${RANGE} FROM catalogue_ranges WHERE catalogue_id = ${catalogueId} AND NOT is_listed ORDER BY until_key DESC NULLS FIRST`,
    takenRangeSchema,
  );

/** Lets others go on with a range at once. */
export const releaseRange = (database: Run, id: string) =>
  database.$driverQuery(sql`UPDATE catalogue_ranges SET taken_until = ${NOW} WHERE id = ${id}::bigint`);

/**
 * Takes what comes after `split` from a range, as a range of its own.
 * @returns undefined if the range has changed
 */
export async function splitRange(
  database: Run,
  { id, until }: TakenRange,
  split: string,
): Promise<TakenRange | undefined> {
  const at = toStoredKey(split);
  const [range] = await database.$driverQuery(
    sql`
      WITH shortened AS (
        UPDATE catalogue_ranges SET until_key = ${at}
        WHERE id = ${id}::bigint AND NOT is_listed AND after_key < ${at} AND until_key IS NOT DISTINCT FROM ${stored(until)}
        RETURNING catalogue_id
      )
      INSERT INTO catalogue_ranges (catalogue_id, after_key, until_key, taken_until)
      SELECT catalogue_id, ${at}, ${stored(until)}, ${LEASE_END} FROM shortened RETURNING ${RANGE}`,
    takenRangeSchema,
  );
  return range;
}

const stored = (key: string | null) => (key === null ? null : toStoredKey(key));

/** A condition: a key comes after `after`, and not after `end`. Null is the end of the bucket. */
const isBetween = (key: Sql, after: string, end: string | null): Sql =>
  end === null
    ? sql`${key} > ${toStoredKey(after)}`
    : sql`${key} > ${toStoredKey(after)} AND ${key} <= ${toStoredKey(end)}`;

/**
 * Finds where a step has to end because the catalogue has too many rows for it. A bucket that was emptied has millions, and its first page
 * none of them.
 * @returns null if it has not
 */
export async function findEndOfStep(
  database: Run,
  catalogueId: number,
  after: string,
  end: string | null,
): Promise<string | null> {
  const [row] = await database.$driverQuery(
    sql`
      SELECT key FROM catalogue_objects WHERE catalogue_id = ${catalogueId} AND ${isBetween(sql`key`, after, end)}
      ORDER BY key OFFSET ${MAX_ROWS_OF_STEP} LIMIT 1`,
    z.object({ key: storedKey }),
  );
  return row?.key ?? null;
}

/** A part of a page that the store has listed. */
export interface Step {
  catalogueId: number;
  range: TakenRange;
  /** all objects of the bucket that come after `range.after` and not after `end` */
  objects: readonly ListedObject[];
  /** null: the end of the bucket */
  end: string | null;
  /** a moment by the database's clock before the store was asked */
  askedAt: Moment;
}

/**
 * Makes the rows of a part equal to what the store has listed, and moves the range on. Nothing is changed if the range is no longer as it was:
 * then another process has listed this part, or taken some of it.
 *
 * - `range`: locks the range.
 * - `listed`: what the store has listed.
 * - `locked`: locks the rows that are written or removed, in the order of their keys, as `noteObjects` does. Otherwise each would wait for the other.
 * - `written`: writes what is new or different. A row that is as listed is not touched: writing ten million rows again would leave as many dead ones.
 *   A row that is newer than the question stays.
 * - `removed`: removes what was not listed, unless it is newer than the question.
 * - `logged`: the log of a complete catalogue gets a row for each of these, or one for very many.
 * - `moved`: moves the range on, in the same transaction.
 * @returns the moment of the statement and whether the range is listed to its end; undefined if nothing was changed
 */
export async function applyStep(database: Run, { catalogueId, range, objects, end, askedAt }: Step) {
  const asked = sql`${askedAt}::timestamp`;
  const isGone = sql`as_of < CASE WHEN is_deleted THEN ${asked} - make_interval(hours => ${KEEP_DELETED_HOURS}) ELSE ${asked} END`;
  // It reads all of them, so nothing is written before.
  const areLocked = sql`(SELECT count(*) FROM locked) >= 0`;
  const isAtEnd = end === range.until;
  const isUnchanged = isAtEnd
    ? sql`until_key IS NOT DISTINCT FROM ${stored(end)}`
    : sql`(until_key IS NULL OR until_key > ${stored(end)})`;
  const column = <Value>(read: (object: ListedObject) => Value) => objects.map(read);
  const [applied] = await database.$driverQuery(
    sql`
      WITH range AS (
        SELECT id FROM catalogue_ranges WHERE id = ${range.id}::bigint AND NOT is_listed
          AND after_key = ${toStoredKey(range.after)} AND ${isUnchanged} FOR UPDATE
      ), listed AS (
        SELECT * FROM unnest(${column(({ key }) => toStoredKey(key))}::text[], ${column(({ key }) => foldedNameOf(key))}::text[],
          ${column(({ size }) => size)}::bigint[], ${column(({ etag }) => etag)}::text[],
          ${column(({ lastModified }) => lastModified.toISOString())}::timestamp[], ${column(({ storageClass }) => storageClass ?? null)}::text[])
          AS listed(key, folded_name, size, etag, last_modified, storage_class)
      ), locked AS (
        SELECT known.key FROM catalogue_objects AS known LEFT JOIN listed ON listed.key COLLATE "C" = known.key
        WHERE catalogue_id = ${catalogueId} AND ${isBetween(sql`known.key`, range.after, end)} AND EXISTS (SELECT FROM range)
          AND CASE WHEN listed.key IS NULL THEN ${isGone} ELSE as_of < ${asked} AND (is_deleted OR known.size <> listed.size OR known.etag <> listed.etag
            OR known.last_modified <> listed.last_modified OR known.storage_class IS DISTINCT FROM listed.storage_class) END
        ORDER BY known.key FOR UPDATE OF known
      ), written AS (
        INSERT INTO catalogue_objects AS known (catalogue_id, key, folded_name, size, etag, last_modified, storage_class, as_of)
        SELECT ${catalogueId}::int, listed.*, ${asked} FROM listed, range WHERE ${areLocked} AND NOT EXISTS (
          SELECT FROM catalogue_objects AS same WHERE same.catalogue_id = ${catalogueId} AND ${isBetween(sql`same.key`, range.after, end)}
            AND same.key = listed.key COLLATE "C" AND NOT same.is_deleted AND same.size = listed.size AND same.etag = listed.etag
            AND same.last_modified = listed.last_modified AND same.storage_class IS NOT DISTINCT FROM listed.storage_class)
        ORDER BY listed.key COLLATE "C"
        ON CONFLICT (catalogue_id, key) DO UPDATE SET is_deleted = false, folded_name = excluded.folded_name, size = excluded.size, etag = excluded.etag,
          last_modified = excluded.last_modified, storage_class = excluded.storage_class, as_of = excluded.as_of
        WHERE known.as_of < excluded.as_of
        RETURNING key
      ), removed AS (
        DELETE FROM catalogue_objects AS known WHERE catalogue_id = ${catalogueId} AND ${isBetween(sql`known.key`, range.after, end)}
          AND ${isGone} AND ${areLocked} AND EXISTS (SELECT FROM range) AND NOT EXISTS (SELECT FROM listed WHERE listed.key COLLATE "C" = known.key)
        RETURNING is_deleted, key
      ), changed AS (
        SELECT key FROM written UNION ALL SELECT key FROM removed WHERE NOT is_deleted
      ), logged AS (
        ${insertChanges(sql`
          SELECT ${catalogueId}::int, CASE WHEN many.are_too_many THEN NULL ELSE changed.key END
          FROM changed, (SELECT count(*) > ${MAX_LOGGED_CHANGES} AS are_too_many FROM changed) AS many
          WHERE EXISTS (SELECT FROM catalogues WHERE id = ${catalogueId} AND scanned_at IS NOT NULL)
          GROUP BY 1, 2`)}
      ), moved AS (
        UPDATE catalogue_ranges SET after_key = ${stored(end) ?? toStoredKey(range.after)}, is_listed = ${isAtEnd}, taken_until = ${LEASE_END},
          objects = objects + ${objects.length},
          differences = differences + (SELECT count(*) FROM changed)
        WHERE id IN (SELECT id FROM range) RETURNING is_listed
      )
      SELECT is_listed AS "isListed", ${CLOCK_MOMENT} AS now FROM moved`,
    z.object({ isListed: z.boolean(), now: z.string() }),
  );
  return applied;
}

const sumsSchema = z.object({ objects: numberFromText, differences: numberFromText, isListed: z.boolean() });

/** What the scan that is under way has found so far. All zero if there is none. */
export async function readProgress(database: Run, catalogueId: number) {
  const [sums] = await database.$driverQuery(
    sql`
      SELECT coalesce(sum(objects), 0)::text AS objects, coalesce(sum(differences), 0)::text AS differences, coalesce(bool_and(is_listed), false) AS "isListed"
      FROM catalogue_ranges WHERE catalogue_id = ${catalogueId}`,
    sumsSchema,
  );
  return sums ?? { objects: 0, differences: 0, isListed: false };
}

/**
 * Ends a scan if all of its ranges are listed. A range that is being split is not listed, so no part is forgotten. It has found whatever had changed
 * before it began (`found`).
 * @param scanStartedAt tells the scan from the next one
 * @returns whether it has ended, now or before
 */
export async function endScan(database: Run, catalogueId: number, scanStartedAt: Date): Promise<boolean> {
  const started = sql`${scanStartedAt.toISOString()}::timestamp`;
  await database.$driverQuery(sql`
    WITH ended AS (
      UPDATE catalogues SET scanned_at = scan_started_at, scan_ended_at = ${NOW}, scan_started_at = NULL, (objects, differences) =
        (SELECT sum(objects), sum(differences) FROM catalogue_ranges WHERE catalogue_id = catalogues.id)
      WHERE id = ${catalogueId} AND scan_started_at = ${started} AND NOT is_being_removed
        AND NOT EXISTS (SELECT FROM catalogue_ranges WHERE catalogue_id = catalogues.id AND NOT is_listed)
      RETURNING id
    ), found AS (
      DELETE FROM catalogue_waiting_keys WHERE catalogue_id IN (SELECT id FROM ended) AND key = ${FURTHER_KEYS} AND changed_at <= ${started}
    )
    DELETE FROM catalogue_ranges WHERE catalogue_id IN (SELECT id FROM ended)`);
  const open = await database.$driverQuery(
    sql`SELECT 1 FROM catalogues WHERE id = ${catalogueId} AND scan_started_at = ${started}`,
  );
  return open.length === 0;
}
