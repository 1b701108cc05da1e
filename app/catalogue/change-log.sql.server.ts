/* The change log: what was written into complete catalogues. SQL, because only PostgreSQL knows which transactions a reader has seen. README.md */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, numberFromText, type Sql, sql } from "../providers/sql.server";
import { CLOCK_TIME } from "./clock.sql.server";
import { rangeOf } from "./key-range";
import { fromStoredKey, toStoredKey } from "./stored-key";

type Run = Pick<Database, "$driverQuery">;

/** How long the log is kept at least. `cleanup` deletes what is older. */
export const KEEP_CHANGES_HOURS = 1;
/** Rows that one statement reads. */
const MAX_READ_CHANGES = 5_000;
/** Whoever names no position gets what was written in the last seconds: since the folder was listed. */
const SECONDS_WITHOUT_POSITION = 120;
/** A position that is older is refused, although the log goes back a little further: a statement takes its time. */
const MAX_POSITION_SECONDS = KEEP_CHANGES_HOURS * 3_600 - 300;
/** Rows of a folder that are looked at to find one that exists. */
const MAX_DELETED_LOOKED_AT = 5_000;

/** A statement, or a part of one, that writes the log. @param changed a query for the ids of catalogues and the keys */
export const insertChanges = (changed: Sql): Sql =>
  sql`INSERT INTO catalogue_changes (catalogue_id, key, written_at) SELECT changes.*, ${CLOCK_TIME} FROM (${changed}) AS changes(catalogue_id, key)`;

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
    /^(\d{1,15})\.((\d{1,18}):(\d{1,18}):((?:\d{1,18},)*\d{1,18})?)$/.exec(text) ?? [];
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
  /** null: so many that each folder has to be listed again */
  key: z.string().transform(fromStoredKey).nullable(),
  /** null: there is no such object */
  size: numberFromText.nullable(),
  etag: z.string().nullable(),
  lastModified: z.date().nullable(),
});
export type LoggedChange = z.infer<typeof changeSchema>;

const readSchema = z.object({
  snapshot: z.string(),
  readAt: numberFromText,
  isOfOtherLog: z.boolean(),
  catalogueId: z.int().nullable(),
  ...changeSchema.omit({ catalogueId: true }).shape,
});

export interface ReadChanges {
  /** each key once */
  changes: LoggedChange[];
  /** where the next reading has to begin */
  position: LogPosition;
  /** The log does not tell all that has happened: the position is too old or of another database, or there is too much. */
  isIncomplete: boolean;
}

/**
 * Reads what was written since `after`, and what is stored at these keys. One statement has one snapshot, so what it does not see yet is seen by
 * the next reading, in whatever order transactions end and however long they take.
 * @param after undefined: what was written in the last two minutes
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
      : sql`xid >= pg_snapshot_xmin(${after.snapshot}::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, ${after.snapshot}::pg_snapshot)`;
  const isOfOtherLog =
    after === undefined
      ? sql`false`
      : sql`pg_snapshot_xmax(${after.snapshot}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`;
  const isBelow = prefix === "" ? sql`` : sql`AND (key IS NULL OR starts_with(key, ${toStoredKey(prefix)}))`;
  const rows = await database.$driverQuery(
    sql`
      SELECT pg_current_snapshot()::text AS snapshot, floor(extract(epoch FROM clock_timestamp()))::text AS "readAt", ${isOfOtherLog} AS "isOfOtherLog",
        changed.catalogue_id AS "catalogueId", changed.key, known.size::text, known.etag, known.last_modified AT TIME ZONE 'UTC' AS "lastModified"
      FROM (SELECT) AS once
      LEFT JOIN (
        SELECT DISTINCT catalogue_id, key FROM catalogue_changes
        WHERE ${isNew} AND catalogue_id = ANY(${catalogueIds}::int[]) ${isBelow} LIMIT ${MAX_READ_CHANGES + 1}
      ) AS changed ON true
      LEFT JOIN catalogue_objects AS known ON known.catalogue_id = changed.catalogue_id AND known.key = changed.key AND NOT known.is_deleted`,
    readSchema,
  );
  const [first] = rows;
  if (first === undefined) throw new Error("The statement returns a row at least.");
  const position = { snapshot: first.snapshot, readAt: first.readAt };
  const isTooOld = after !== undefined && position.readAt - after.readAt > MAX_POSITION_SECONDS;
  return {
    changes: rows.flatMap(({ catalogueId, key, size, etag, lastModified }) =>
      catalogueId === null ? [] : [{ catalogueId, key, size, etag, lastModified }],
    ),
    position,
    isIncomplete: first.isOfOtherLog || isTooOld || rows.length > MAX_READ_CHANGES,
  };
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
