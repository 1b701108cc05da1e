/* What folders held on each day. SQL, because the day is that of the database's clock. */
import { z } from "zod";
import type { Database } from "../../providers/database.server";
import { NOW, numberFromText, sql } from "../../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

const TODAY = sql`${NOW}::date`;

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
interface UsageCount {
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
      objects: numberFromText,
      bytes: numberFromText,
      versionBytes: numberFromText.nullable(),
      unfinishedBytes: numberFromText.nullable(),
    }),
  );
