/* The change log: what was written into complete catalogues. SQL, because only PostgreSQL knows which transactions a reader has seen. README.md */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, numberFromText, type Sql, sql } from "../providers/sql.server";
import { CLOCK_TIME } from "./clock.sql.server";
import { rangeOf } from "./key-range";
import { fromStoredKey, toStoredKey } from "./stored-key";

type Run = Pick<Database, "$driverQuery">;

/** How long the log is kept at least. A worker deletes what is older, and so does `cleanup`. */
export const KEEP_CHANGES_HOURS = 1;
/** Rows that one statement deletes, so that it holds its locks for a few milliseconds only. */
const MAX_DELETED_ROWS = 1_000;
/** Keys of a catalogue that one statement reads: they take the process as long as a page of a folder. */
export const MAX_READ_CHANGES = 1_000;
/** Rows of the log of a catalogue that one statement looks at. */
const MAX_LOOKED_AT_ROWS = 20_000;
/** Whoever names no position gets what was written in the last seconds: since the folder was listed. */
const SECONDS_WITHOUT_POSITION = 120;
/** No transaction of ours takes so long. What was written earlier before a reading has been seen by it. */
const MAX_TRANSACTION_SECONDS = 300;
/** A position that is older is refused, although the log goes back a little further. */
const MAX_POSITION_SECONDS = KEEP_CHANGES_HOURS * 3_600 - MAX_TRANSACTION_SECONDS;
/** Rows of a folder that are looked at to find one that exists. A statement looks into a hundred folders. */
const MAX_DELETED_LOOKED_AT = 500;

/** A statement, or a part of one, that writes the log. @param changed a query for the ids of catalogues and the keys */
export const insertChanges = (changed: Sql): Sql =>
  sql`INSERT INTO catalogue_changes (catalogue_id, key, written_at) SELECT changes.*, ${CLOCK_TIME} FROM (${changed}) AS changes(catalogue_id, key)`;

/** Deletes a batch of the log, the oldest first, but nothing that another process deletes at this moment. @returns whether there may be more */
export async function deleteOldChanges(database: Run): Promise<boolean> {
  const [row] = await database.$driverQuery(
    sql`
      WITH deleted AS (
        DELETE FROM catalogue_changes WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM catalogue_changes WHERE written_at < ${NOW} - make_interval(hours => ${KEEP_CHANGES_HOURS})
          ORDER BY written_at LIMIT ${MAX_DELETED_ROWS} FOR UPDATE SKIP LOCKED
        )) RETURNING 1
      )
      SELECT count(*)::int AS count FROM deleted`,
    z.object({ count: z.int() }),
  );
  return row?.count === MAX_DELETED_ROWS;
}

/** How far the log was read. */
export interface LogPosition {
  /** of PostgreSQL, as text (`pg_snapshot`): tells which transactions were seen. Ids of rows do not, because transactions end in another order. */
  snapshot: string;
  /** unix seconds by the database's clock */
  readAt: number;
}

/** Longer ones name many transactions that were running. Then their beginning says enough: what has been read is read once more. */
const MAX_SNAPSHOT_LENGTH = 1_000;

/** A position as callers keep it. */
export function textOfPosition({ snapshot, readAt }: LogPosition): string {
  const [oldest] = snapshot.split(":");
  return `${readAt}.${snapshot.length > MAX_SNAPSHOT_LENGTH ? `${oldest}:${oldest}:` : snapshot}`;
}

/** Undefined unless it is one that PostgreSQL would accept: it comes from a caller. */
export function parsePosition(text: string): LogPosition | undefined {
  const [, readAt = "", snapshot = "", oldest = "", end = "", running = ""] =
    /^(\d{1,11})\.((\d{1,18}):(\d{1,18}):((?:\d{1,18},)*\d{1,18})?)$/.exec(text) ?? [];
  if (snapshot === "") return undefined;
  const ids = running === "" ? [] : running.split(",").map(BigInt);
  const isValid =
    BigInt(oldest) > 0n &&
    BigInt(oldest) <= BigInt(end) &&
    ids.every((id, index) => id >= (ids[index - 1] ?? BigInt(oldest)) && id < BigInt(end));
  return isValid ? { snapshot, readAt: Number(readAt) } : undefined;
}

/** What a key has now. */
const changeSchema = z.object({
  catalogueId: z.int(),
  key: z.string().transform(fromStoredKey),
  /** null: there is no such object */
  size: numberFromText.nullable(),
  etag: z.string().nullable(),
  lastModified: z.date().nullable(),
});
export type LoggedChange = z.infer<typeof changeSchema>;

const readSchema = z.object({
  snapshot: z.string(),
  readAt: numberFromText,
  isUnknown: z.boolean(),
  ...changeSchema.shape,
  /** null: nothing was written */
  catalogueId: z.int().nullable(),
  /** null: so many that each folder has to be listed again */
  key: changeSchema.shape.key.nullable(),
});

export interface ReadChanges {
  /** each key once */
  changes: LoggedChange[];
  /** where the next reading has to begin */
  position: LogPosition;
  /**
   * Catalogues of which the log does not tell all that has happened. All of them, if the position is too old or of another database; one of
   * which too much was written.
   */
  incomplete: ReadonlySet<number>;
}

/**
 * Reads what was written since `after`, and what is stored at these keys. One statement has one snapshot, so what it does not see yet is seen by
 * the next reading, in whatever order transactions end and however long they take. A position that is not known any more is found out
 * before the log is read, and of each catalogue only so many rows are.
 * @param after undefined: what was written in the last two minutes. It may come from a caller
 * @param prefix of the keys
 */
export async function readChanges(
  database: Run,
  catalogueIds: readonly number[],
  { after, prefix = "" }: { after: LogPosition | undefined; prefix?: string },
): Promise<ReadChanges> {
  const isNew =
    after === undefined
      ? sql`written_at >= ${NOW} - make_interval(secs => ${SECONDS_WITHOUT_POSITION})`
      : sql`xid >= pg_snapshot_xmin(${after.snapshot}::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, ${after.snapshot}::pg_snapshot)
          AND written_at >= to_timestamp(${after.readAt}) AT TIME ZONE 'UTC' - make_interval(secs => ${MAX_TRANSACTION_SECONDS})`;
  const isUnknown =
    after === undefined
      ? sql`false`
      : sql`(pg_snapshot_xmax(${after.snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())
          OR to_timestamp(${after.readAt}) < now() - make_interval(secs => ${MAX_POSITION_SECONDS}))`;
  const isBelow = prefix === "" ? sql`true` : sql`starts_with(key, ${toStoredKey(prefix)})`;
  const rows = await database.$driverQuery(
    sql`
      SELECT pg_current_snapshot()::text AS snapshot, floor(extract(epoch FROM clock_timestamp()))::text AS "readAt", ${isUnknown} AS "isUnknown",
        changed.catalogue_id AS "catalogueId", changed.key, known.size::text, known.etag, known.last_modified AT TIME ZONE 'UTC' AS "lastModified"
      FROM (SELECT) AS once
      LEFT JOIN (
        SELECT catalogue.id AS catalogue_id, logged.key FROM unnest(${catalogueIds}::int[]) AS catalogue(id)
        CROSS JOIN LATERAL (
          SELECT DISTINCT CASE WHEN number <= ${MAX_LOOKED_AT_ROWS} THEN key END AS key FROM (
            SELECT key, row_number() OVER () AS number FROM (
              SELECT key FROM catalogue_changes WHERE NOT ${isUnknown} AND catalogue_id = catalogue.id AND ${isNew} LIMIT ${MAX_LOOKED_AT_ROWS + 1}
            ) AS written
          ) AS numbered WHERE number > ${MAX_LOOKED_AT_ROWS} OR key IS NULL OR ${isBelow} LIMIT ${MAX_READ_CHANGES + 1}
        ) AS logged
      ) AS changed ON true
      LEFT JOIN catalogue_objects AS known ON known.catalogue_id = changed.catalogue_id AND known.key = changed.key AND NOT known.is_deleted`,
    readSchema,
  );
  const [first] = rows;
  if (first === undefined) throw new Error("The statement returns a row at least.");
  const changes: LoggedChange[] = [];
  const incomplete = new Set(first.isUnknown ? catalogueIds : []);
  const counts = new Map<number, number>();
  for (const { catalogueId, key, size, etag, lastModified } of rows) {
    if (catalogueId === null) continue;
    const count = (counts.get(catalogueId) ?? 0) + 1;
    counts.set(catalogueId, count);
    if (key === null || count > MAX_READ_CHANGES) incomplete.add(catalogueId);
    else changes.push({ catalogueId, key, size, etag, lastModified });
  }
  return { changes, position: { snapshot: first.snapshot, readAt: first.readAt }, incomplete };
}

/** A folder of a catalogue. */
export interface CataloguePrefix {
  catalogueId: number;
  /** what its keys begin with */
  prefix: string;
}

/**
 * Whether something is in each of some folders.
 * @returns in the same order; null: not found out, because very many objects were deleted in it
 */
export async function areFilled(
  database: Run,
  folders: readonly CataloguePrefix[],
): Promise<(boolean | null)[]> {
  const ranges = folders.map(({ prefix }) => rangeOf(prefix));
  const rows = await database.$driverQuery(
    sql`
      SELECT CASE WHEN looked_at.are_filled THEN true WHEN looked_at.count < ${MAX_DELETED_LOOKED_AT} THEN false END AS "isFilled"
      FROM unnest(${folders.map(({ catalogueId }) => catalogueId)}::int[], ${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ before }) => before)}::text[])
        WITH ORDINALITY AS folder(catalogue_id, first_key, before_key, number)
      CROSS JOIN LATERAL (
        SELECT bool_or(NOT is_deleted) AS are_filled, count(*) FROM (
          SELECT is_deleted FROM catalogue_objects AS known
          WHERE known.catalogue_id = folder.catalogue_id AND known.key >= folder.first_key COLLATE "C" AND known.key < folder.before_key COLLATE "C"
          ORDER BY known.key LIMIT ${MAX_DELETED_LOOKED_AT}) AS first
      ) AS looked_at
      ORDER BY number`,
    z.object({ isFilled: z.boolean().nullable() }),
  );
  return rows.map(({ isFilled }) => isFilled);
}
