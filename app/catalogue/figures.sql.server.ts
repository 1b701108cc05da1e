/* What operators watch. SQL, because one statement sums up all catalogues, and ages go by the database's clock. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, numberFromText, sql } from "../providers/sql.server";

/** More waiting keys are not counted. */
export const MAX_COUNTED_KEYS = 100_000;

const figuresSchema = z.object({
  /** seconds since the oldest of the last complete scans began; 0 if there is none */
  ageSeconds: z.number(),
  /** objects that the last complete scans have found */
  objects: numberFromText,
  /** rows that they had to write or remove */
  differences: numberFromText,
  /** keys that have changed, about which the store is still to be asked */
  waitingKeys: z.int(),
});
/** Of all catalogues together. */
export type CatalogueFigures = z.infer<typeof figuresSchema>;

export async function readFigures(database: Pick<Database, "$driverQuery">): Promise<CatalogueFigures> {
  const [figures] = await database.$driverQuery(
    sql`
      SELECT coalesce(max(extract(epoch FROM ${NOW} - scanned_at)), 0)::float8 AS "ageSeconds",
        coalesce(sum(objects), 0)::text AS objects, coalesce(sum(differences), 0)::text AS differences,
        (SELECT count(*)::int FROM (SELECT FROM catalogue_waiting_keys LIMIT ${MAX_COUNTED_KEYS}) AS counted) AS "waitingKeys"
      FROM catalogues WHERE NOT is_being_removed`,
    figuresSchema,
  );
  return figures ?? { ageSeconds: 0, objects: 0, differences: 0, waitingKeys: 0 };
}
