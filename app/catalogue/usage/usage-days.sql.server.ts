/* What folders held on each day. SQL, because objects are summed a part of the keys at a time, and the day is that of the database's clock. */
import { z } from "zod";
import type { Database } from "../../providers/database.server";
import { sql } from "../../providers/sql.server";
import { rangeAfter, rangeOf } from "../key-range";

type Run = Pick<Database, "$driverQuery">;

/** Rows read by one statement: some tenths of a second. */
const BATCH_ROWS = 200_000;

const counted = z.string().transform(Number);

/** Sums the objects below a prefix, a part of them at a time. @returns what the parts held, each at its moment */
export async function sumObjects(
  database: Run,
  catalogueId: number,
  prefix: string,
  { signal, batchRows = BATCH_ROWS }: { signal?: AbortSignal; batchRows?: number } = {},
): Promise<{ objects: number; bytes: number }> {
  const sums = { objects: 0, bytes: 0 };
  for (let range = rangeOf(prefix); ; ) {
    signal?.throwIfAborted();
    const [row] = await database.$driverQuery(
      sql`
        SELECT count(*)::int AS rows, (count(*) FILTER (WHERE NOT is_deleted))::int AS objects,
          coalesce(sum(size) FILTER (WHERE NOT is_deleted), 0)::text AS bytes, max(key) AS last
        FROM (
          SELECT key, size, is_deleted FROM catalogue_objects
          WHERE catalogue_id = ${catalogueId} AND key >= ${range.from} AND key < ${range.before}
          ORDER BY key LIMIT ${batchRows}) AS part`,
      z.object({ rows: z.int(), objects: z.int(), bytes: counted, last: z.string().nullable() }),
    );
    sums.objects += row?.objects ?? 0;
    sums.bytes += row?.bytes ?? 0;
    if (row === undefined || row.last === null || row.rows < batchRows) return sums;
    range = rangeAfter(row.last, range);
  }
}

const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`;

/** Of these paths of a bucket, those that have no row of today yet. */
export async function findUncounted(
  database: Run,
  bucket: string,
  paths: readonly string[],
): Promise<string[]> {
  const rows = await database.$driverQuery(
    sql`
      SELECT path FROM unnest(${[...paths]}::text[]) AS given(path) WHERE NOT EXISTS (
        SELECT FROM usage_days WHERE usage_days.bucket = ${bucket} AND usage_days.path = given.path AND day = ${TODAY})`,
    z.object({ path: z.string() }),
  );
  return rows.map(({ path }) => path);
}

/** Bytes are null where nobody has counted them. */
export interface UsageCount {
  objects: number;
  bytes: number;
  versionBytes: number | null;
  unfinishedBytes: number | null;
}

/** Writes the row of today, unless another process was faster. @returns whether it was written */
export async function insertUsageDay(
  database: Run,
  { bucket, path }: { bucket: string; path: string },
  { objects, bytes, versionBytes, unfinishedBytes }: UsageCount,
): Promise<boolean> {
  const written = await database.$driverQuery(sql`
    INSERT INTO usage_days (bucket, path, day, objects, bytes, version_bytes, unfinished_bytes)
    VALUES (${bucket}, ${path}, ${TODAY}, ${objects}::bigint, ${bytes}::bigint, ${versionBytes}::bigint, ${unfinishedBytes}::bigint)
    ON CONFLICT DO NOTHING RETURNING 1`);
  return written.length > 0;
}

/** The rows of some days, oldest first. @param days `from` and `to`: `2026-11-29`, both included; `limit`: the newest of them */
export const readUsageDays = (
  database: Run,
  { bucket, path }: { bucket: string; path: string },
  { from, to, limit }: { from?: string | undefined; to?: string | undefined; limit: number },
) =>
  database.$driverQuery(
    sql`
      SELECT * FROM (
        SELECT to_char(day, 'YYYY-MM-DD') AS day, objects::text, bytes::text, version_bytes::text AS "versionBytes", unfinished_bytes::text AS "unfinishedBytes"
        FROM usage_days WHERE bucket = ${bucket} AND path = ${path}
          AND day >= ${from ?? "-infinity"}::date AND day <= ${to ?? "infinity"}::date
        ORDER BY usage_days.day DESC LIMIT ${limit}) AS newest
      ORDER BY day`,
    z.object({
      day: z.string(),
      objects: counted,
      bytes: counted,
      versionBytes: counted.nullable(),
      unfinishedBytes: counted.nullable(),
    }),
  );
