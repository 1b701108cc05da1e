/* The tables of quotas. SQL, because a lock of a transaction orders the decisions, and all moments are those of the database's clock. */
import { z } from "zod";
import type { Database } from "../../providers/database.server";
import { eachOnce, type ObjectName } from "../../providers/object-changes.server";
import { joinSql, NOW, numberFromText, type Sql, sql } from "../../providers/sql.server";
import { CLOCK_TIME, momentOf } from "../clock.sql.server";
import { rangeOf } from "../key-range";
import { fromStoredKey, toStoredKey } from "../stored-key";
import type { Area } from "./area";

type Run = Pick<Database, "$driverQuery">;

/** Tells these locks from others: an arbitrary number. */
const LOCK_CLASS = 490_026;
/** Milliseconds for which a transaction with such a lock may be silent. Then the server ends it: its process stands still, and others wait. */
const MAX_IDLE_MS = 5_000;
/** Totals that one statement deletes. */
const BATCH_ROWS = 1_000;
/** Seconds. No total that is older is used, so what was reserved longer ago is in every total that is. */
export const MAX_TOTAL_SECONDS = 30;
const FORGET_AFTER_SECONDS = 2 * MAX_TOTAL_SECONDS;

/** An area, with the catalogues of its buckets. */
export interface CatalogueArea {
  hash: string;
  catalogueIds: readonly number[];
  prefixes: Area["prefixes"];
}

/**
 * Locks the reservations of some buckets until the end of the transaction, as one statement for all: in one order, nobody waits for somebody who
 * waits. It is a lock of the transaction, which PgBouncer passes, and takes no row that others write.
 */
export async function lockBuckets(run: Run, buckets: readonly string[]): Promise<void> {
  await run.$driverQuery(sql`
    SELECT set_config('idle_in_transaction_session_timeout', ${String(MAX_IDLE_MS)}, true) AS locked
    FROM (SELECT DISTINCT hashtext(bucket) AS number FROM unnest(${[...buckets]}::text[]) AS named(bucket) ORDER BY number) AS locks
    WHERE pg_advisory_xact_lock(${LOCK_CLASS}::int, number) IS NOT NULL`);
}

/** The keys of an area, as parts of each catalogue: `area` is its index. */
function rangesOf(areas: readonly Pick<CatalogueArea, "catalogueIds" | "prefixes">[]): Sql {
  const ranges = areas.flatMap(({ catalogueIds, prefixes }, area) =>
    catalogueIds.flatMap((id) =>
      prefixes.map((prefix) => {
        const { from, before } = rangeOf(prefix);
        return { area, id, from, before };
      }),
    ),
  );
  const column = <Value>(read: (range: (typeof ranges)[number]) => Value) => ranges.map(read);
  return sql`unnest(${column(({ area }) => area)}::int[], ${column(({ id }) => id)}::int[], ${column(({ from }) => from)}::text[], ${column(({ before }) => before)}::text[])
    AS range(area, catalogue_id, begin_key, end_key)`;
}

/** @param row what has the key */
const isInRange = (row: Sql) =>
  sql`${row}.catalogue_id = range.catalogue_id AND ${row}.key >= range.begin_key COLLATE "C" AND ${row}.key < range.end_key COLLATE "C"`;

const totalSchema = z.object({
  areaHash: z.string(),
  bytes: numberFromText,
  expectedBytes: numberFromText,
  lastReservation: z.string(),
  /** in the order of time */
  computedAt: z.string(),
  ageSeconds: z.number(),
});
export type Total = Omit<z.infer<typeof totalSchema>, "ageSeconds">;

const TOTAL_COLUMNS = sql`area_hash AS "areaHash", bytes::text, expected_bytes::text AS "expectedBytes", last_reservation::text AS "lastReservation",
  ${momentOf(sql`computed_at`)} AS "computedAt", extract(epoch FROM ${CLOCK_TIME} - computed_at)::float8 AS "ageSeconds"`;

export const readTotals = (run: Run, hashes: readonly string[]) =>
  run.$driverQuery(
    sql`SELECT ${TOTAL_COLUMNS} FROM quota_totals WHERE area_hash = ANY(${[...hashes]}::text[])`,
    totalSchema,
  );

/**
 * The bytes that reservations after the total of each area add to it at most. Two for one key are one, because a key has one object. Those of a key
 * become one row before the earlier ones are looked up: one key may have thousands of both.
 * @returns by the area's index
 */
export async function sumLaterReservations(
  run: Run,
  areas: readonly (CatalogueArea & Pick<Total, "lastReservation">)[],
): Promise<Map<number, number>> {
  if (areas.length === 0) return new Map();
  const rows = await run.$driverQuery(
    sql`
      SELECT area, sum(greatest(0, bytes - coalesce(before, 0)))::text AS bytes FROM (
        SELECT range.area, total.last, later.catalogue_id, later.key, max(later.bytes) AS bytes
        FROM ${rangesOf(areas)} JOIN unnest(${areas.map(({ lastReservation }) => lastReservation)}::bigint[]) WITH ORDINALITY AS total(last, number) ON number = area + 1
        JOIN quota_reservations AS later ON later.id > total.last AND ${isInRange(sql`later`)}
        GROUP BY 1, 2, 3, 4) AS of_key
      CROSS JOIN LATERAL (
        SELECT max(earlier.bytes) AS before FROM quota_reservations AS earlier
        WHERE earlier.id <= of_key.last AND earlier.catalogue_id = of_key.catalogue_id AND earlier.key = of_key.key AND earlier.held_until > ${CLOCK_TIME}) AS of_earlier
      GROUP BY area`,
    z.object({ area: z.int(), bytes: numberFromText }),
  );
  return new Map(rows.map(({ area, bytes }) => [area, bytes]));
}

/** How many reservations are held in each area: at most `limit` of each of its folders. @returns by the area's index */
export async function countHeld(
  run: Run,
  areas: readonly CatalogueArea[],
  limit: number,
): Promise<Map<number, number>> {
  if (areas.length === 0) return new Map();
  const rows = await run.$driverQuery(
    sql`
      SELECT range.area, count(*)::int AS count FROM ${rangesOf(areas)} CROSS JOIN LATERAL (
        SELECT FROM quota_reservations AS reservation WHERE ${isInRange(sql`reservation`)} AND held_until > ${CLOCK_TIME} LIMIT ${limit}) AS held
      GROUP BY range.area`,
    z.object({ area: z.int(), count: z.int() }),
  );
  return new Map(rows.map(({ area, count }) => [area, count]));
}

/** The object that a reservation is for. */
interface ReservedKey {
  catalogueId: number;
  key: string;
}

const keysOf = (keys: readonly ReservedKey[]): Sql =>
  sql`unnest(${keys.map(({ catalogueId }) => catalogueId)}::int[], ${keys.map(({ key }) => toStoredKey(key))}::text[]) AS named(catalogue_id, key)`;
const isNamed = (row: Sql) =>
  sql`${row}.catalogue_id = named.catalogue_id AND ${row}.key = named.key COLLATE "C"`;

/**
 * The largest reservation of each key that is still held: no total leaves it out. And those of some uploads, apart. One key may have thousands.
 * @param uploadIds the uploads; a row of all others has null
 */
export const readReservations = (run: Run, keys: readonly ReservedKey[], uploadIds: readonly string[] = []) =>
  run.$driverQuery(
    sql`
      SELECT catalogue_id AS "catalogueId", key, "uploadId", max(bytes)::text AS bytes FROM (
        SELECT reservation.catalogue_id, reservation.key, CASE WHEN upload_id = ANY(${[...uploadIds]}::text[]) THEN upload_id END AS "uploadId", bytes
        FROM ${keysOf(keys)} JOIN quota_reservations AS reservation ON ${isNamed(sql`reservation`)}
        WHERE held_until > ${CLOCK_TIME}) AS held
      GROUP BY 1, 2, 3`,
    z.object({
      catalogueId: z.int(),
      key: z.string().transform(fromStoredKey),
      uploadId: z.string().nullable(),
      bytes: numberFromText,
    }),
  );

export interface NewReservation extends ReservedKey {
  uploadId: string;
  bytes: number;
  /** seconds from now */
  heldSeconds: number;
}

export async function insertReservations(run: Run, made: readonly NewReservation[]): Promise<void> {
  if (made.length === 0) return;
  const column = <Value>(read: (reservation: NewReservation) => Value) => made.map(read);
  await run.$driverQuery(sql`
    INSERT INTO quota_reservations (catalogue_id, key, upload_id, bytes, made_at, held_until)
    SELECT catalogue_id, key, upload_id, bytes, ${CLOCK_TIME}, ${CLOCK_TIME} + make_interval(secs => held_seconds)
    FROM unnest(${column(({ catalogueId }) => catalogueId)}::int[], ${column(({ key }) => toStoredKey(key))}::text[], ${column(({ uploadId }) => uploadId)}::text[],
      ${column(({ bytes }) => String(bytes))}::bigint[], ${column(({ heldSeconds }) => heldSeconds)}::float8[])
      AS made(catalogue_id, key, upload_id, bytes, held_seconds)`);
}

/** Holds reservations that were made before for some time from now, or as long as they are held anyway. */
export async function holdLonger(
  run: Run,
  held: readonly Pick<NewReservation, "uploadId" | "heldSeconds">[],
): Promise<void> {
  if (held.length === 0) return;
  await run.$driverQuery(sql`
    UPDATE quota_reservations SET held_until = greatest(held_until, ${CLOCK_TIME} + make_interval(secs => held_seconds))
    FROM unnest(${held.map(({ uploadId }) => uploadId)}::text[], ${held.map(({ heldSeconds }) => heldSeconds)}::float8[]) AS held(upload_id, held_seconds)
    WHERE quota_reservations.upload_id = held.upload_id`);
}

/** To be called when nothing more of these uploads can arrive. What has arrived is counted until the catalogue knows it. */
export async function endHolds(run: Run, uploadIds: readonly string[]): Promise<void> {
  await run.$driverQuery(
    sql`UPDATE quota_reservations SET held_until = ${CLOCK_TIME} WHERE upload_id = ANY(${[...uploadIds]}::text[]) AND held_until > ${CLOCK_TIME}`,
  );
}

/** The number of the last reservation. Of a bucket that is locked, no earlier one is still being written. */
export async function readLastReservation(run: Run): Promise<string> {
  const [row] = await run.$driverQuery(
    sql`SELECT coalesce(max(id), 0)::text AS last FROM quota_reservations`,
    z.object({ last: z.string() }),
  );
  return row?.last ?? "0";
}

/** The catalogue knows what the key held after the reservation was held: its row, or that there is none, is newer. */
const IS_KNOWN = sql`(coalesce(catalogues.scanned_at > reservation.held_until, false) OR coalesce(object.as_of > reservation.held_until, false))`;
const WITH_CATALOGUE = sql`LEFT JOIN catalogues ON catalogues.id = reservation.catalogue_id
  LEFT JOIN catalogue_objects AS object ON object.catalogue_id = reservation.catalogue_id AND object.key = reservation.key`;

const computedSchema = z.object({
  computedAt: z.string(),
  bytes: numberFromText,
  reserved: numberFromText,
  sizes: z.string().transform((json) => {
    const rows = z.array(z.tuple([z.number(), z.string(), z.string()])).parse(JSON.parse(json));
    return rows.map(([catalogueId, key, size]) => ({
      catalogueId,
      key: fromStoredKey(key),
      size: Number(size),
    }));
  }),
});

/**
 * Sums an area as of one moment: its objects, and what reservations up to the last one add to them if they arrive. A reservation that is held no
 * more adds nothing once the catalogue knows its key.
 * @param keys whose sizes at that moment are returned as well
 */
export async function computeTotal(
  run: Run,
  area: CatalogueArea,
  lastReservation: string,
  keys: readonly ReservedKey[],
): Promise<{ total: Total; sizes: z.infer<typeof computedSchema>["sizes"] } | undefined> {
  const parts = area.catalogueIds.flatMap((id) =>
    area.prefixes.map((prefix) => {
      const { from, before } = rangeOf(prefix);
      return sql`SELECT size FROM catalogue_objects WHERE catalogue_id = ${id} AND key >= ${from} AND key < ${before} AND NOT is_deleted`;
    }),
  );
  const [row] = await run.$driverQuery(
    sql`
      SELECT ${momentOf(NOW)} AS "computedAt",
        (SELECT coalesce(sum(size), 0) FROM (${joinSql(parts, " UNION ALL ")}) AS objects)::text AS bytes,
        (SELECT coalesce(sum(greatest(0, bytes - coalesce(size, 0))), 0) FROM (
          SELECT max(reservation.bytes) AS bytes, max(object.size) FILTER (WHERE NOT object.is_deleted) AS size
          FROM ${rangesOf([area])} JOIN quota_reservations AS reservation ON ${isInRange(sql`reservation`)} ${WITH_CATALOGUE}
          WHERE reservation.id <= ${lastReservation}::bigint AND NOT (reservation.held_until < ${CLOCK_TIME} AND ${IS_KNOWN})
          GROUP BY reservation.catalogue_id, reservation.key) AS of_key)::text AS reserved,
        (SELECT coalesce(json_agg(json_build_array(object.catalogue_id, object.key, object.size::text)), '[]') FROM ${keysOf(keys)}
          JOIN catalogue_objects AS object ON ${isNamed(sql`object`)} AND NOT object.is_deleted)::text AS sizes`,
    computedSchema,
  );
  if (row === undefined) return undefined;
  const { computedAt, bytes, reserved, sizes } = row;
  const expectedBytes = bytes + reserved;
  return { total: { areaHash: area.hash, bytes, expectedBytes, lastReservation, computedAt }, sizes };
}

/** Keeps a total for other processes, unless they have a newer one. */
export async function writeTotal(
  run: Run,
  { areaHash, bytes, expectedBytes, ...total }: Total,
): Promise<void> {
  await run.$driverQuery(sql`
    INSERT INTO quota_totals AS known (area_hash, bytes, expected_bytes, last_reservation, computed_at)
    VALUES (${areaHash}, ${String(bytes)}::bigint, ${String(expectedBytes)}::bigint, ${total.lastReservation}::bigint, ${total.computedAt}::timestamp)
    ON CONFLICT (area_hash) DO UPDATE SET bytes = excluded.bytes, expected_bytes = excluded.expected_bytes, last_reservation = excluded.last_reservation,
      computed_at = excluded.computed_at
    WHERE known.computed_at < excluded.computed_at`);
}

/** Keys of an area whose reservations are held no more, and of which the catalogue does not know what has arrived: those with the most bytes. */
export const findUnsettled = (run: Run, area: CatalogueArea, limit: number) =>
  run.$driverQuery(
    sql`
      SELECT catalogues.bucket, reservation.key FROM ${rangesOf([area])} JOIN quota_reservations AS reservation ON ${isInRange(sql`reservation`)} ${WITH_CATALOGUE}
      WHERE reservation.held_until < ${CLOCK_TIME} AND catalogues.bucket IS NOT NULL AND NOT ${IS_KNOWN}
      GROUP BY 1, 2 ORDER BY max(reservation.bytes) DESC LIMIT ${limit}`,
    z.object({ bucket: z.string(), key: z.string().transform(fromStoredKey) }),
  );

/**
 * Goes through some reservations of which nothing can arrive any more, in the order of their numbers. It deletes those of which the catalogue knows
 * what has arrived, or that have no catalogue any more, but only if they are in every total that may be used: with an older total, they would be
 * missing. Those that somebody else changes at this moment are left out.
 * @param after the last number of the call before; "0" at first
 * @returns `last`: undefined if there are no more; `unknown`: the objects that the catalogue does not know yet, each once
 */
export async function sweepEnded(
  run: Run,
  after: string,
  limit: number,
): Promise<{ last: string | undefined; unknown: ObjectName[] }> {
  const rows = await run.$driverQuery(
    sql`
      WITH ended AS (
        SELECT reservation.id, reservation.key, made_at, catalogues.bucket, catalogues.id IS NULL OR ${IS_KNOWN} AS is_known
        FROM (
          SELECT * FROM quota_reservations WHERE id > ${after}::bigint AND held_until < ${CLOCK_TIME} ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS reservation ${WITH_CATALOGUE}
      ), deleted AS (
        DELETE FROM quota_reservations AS reservation USING ended
        WHERE reservation.id = ended.id AND is_known AND reservation.held_until < ${CLOCK_TIME}
          AND reservation.made_at < ${CLOCK_TIME} - make_interval(secs => ${FORGET_AFTER_SECONDS})
      )
      SELECT id::text, bucket, key, is_known AS "isKnown" FROM ended ORDER BY ended.id`,
    z.object({
      id: z.string(),
      bucket: z.string().nullable(),
      key: z.string().transform(fromStoredKey),
      isKnown: z.boolean(),
    }),
  );
  const unknown = rows.flatMap(({ bucket, key, isKnown }) =>
    isKnown || bucket === null ? [] : { bucket, key },
  );
  return { last: rows.at(-1)?.id, unknown: eachOnce(unknown) };
}

/** Deletes totals that nobody has needed for a day. */
export async function deleteOldTotals(run: Run): Promise<void> {
  await run.$driverQuery(sql`
    DELETE FROM quota_totals WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM quota_totals WHERE computed_at < ${CLOCK_TIME} - make_interval(days => 1) LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED))`);
}
