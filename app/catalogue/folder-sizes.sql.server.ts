/* Totals of folders. SQL, because its plan matters: some rows of each folder are read, in the order of an index that has all it needs. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { numberFromText, sql } from "../providers/sql.server";
import type { KeyRange } from "./key-range";
import { IS_FILE } from "./objects.sql.server";

const partSchema = z.object({
  /** in the order of the ranges, from 0 */
  index: z.int(),
  /** rows that were read */
  rows: z.int(),
  objects: z.int(),
  files: z.int(),
  bytes: numberFromText,
  /** the last key that was read, as the catalogue has it; null if there is none */
  last: z.string().nullable(),
});

/** Counts the objects at the beginning of each range, and those of them that are files. @param limit rows that are read of each */
export const sumParts = (
  database: Pick<Database, "$queryInTurn">,
  caller: string,
  catalogueId: number,
  ranges: readonly KeyRange[],
  limit: number,
) =>
  database.$queryInTurn(
    caller,
    sql`
      SELECT given.number::int - 1 AS index, part.*
      FROM unnest(${ranges.map(({ from }) => from)}::text[], ${ranges.map(({ before }) => before)}::text[])
        WITH ORDINALITY AS given(first_key, before_key, number)
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS rows, count(*) FILTER (WHERE NOT is_deleted)::int AS objects, count(*) FILTER (WHERE ${IS_FILE})::int AS files,
          coalesce(sum(size) FILTER (WHERE ${IS_FILE}), 0)::text AS bytes, max(key) AS last
        FROM (
          SELECT key, size, is_deleted FROM catalogue_objects
          WHERE catalogue_id = ${catalogueId} AND key >= given.first_key COLLATE "C" AND key < given.before_key COLLATE "C"
          ORDER BY key LIMIT ${limit}) AS objects
      ) AS part`,
    partSchema,
  );
