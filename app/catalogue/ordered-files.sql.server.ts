/* The first files of a folder in an order that the store does not have. SQL, because its plan matters: the keys are read in the order of an
   index that has all it needs, and each statement reads so many of them at most. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { compareKeys } from "../providers/listings.server";
import { sql } from "../providers/sql.server";
import type { KeyRange } from "./key-range";
import { IS_FILE, OBJECT_COLUMNS, objectShape } from "./objects.sql.server";

type Run = Pick<Database, "$queryInTurn">;

/** By date or by size. Files of the same date or size are in the order of their keys. */
export const fileOrders = ["newest", "oldest", "largest", "smallest"] as const;
export type FileOrder = (typeof fileOrders)[number];

const isByDate = (order: FileOrder) => order === "newest" || order === "oldest";

/** A file's place in an order. */
export interface PlaceInOrder {
  /** bytes; of an order by date, milliseconds since 1970 */
  value: number;
  /** as the catalogue has it */
  key: string;
}

/** Negative if `one` comes before `other`. */
export function comparePlaces(one: PlaceInOrder, other: PlaceInOrder, order: FileOrder): number {
  const difference =
    order === "newest" || order === "largest" ? other.value - one.value : one.value - other.value;
  return difference === 0 ? compareKeys(one.key, other.key) : difference;
}

const partSchema = z.object({
  /** rows that were read */
  rows: z.int(),
  /** the last key that was read, as the catalogue has it; null if there is none */
  last: z.string().nullable(),
  /** the first subfolders: what their keys start with, as the catalogue has it */
  folders: z.array(z.string()),
  /** the first files in the order */
  files: z.array(z.object({ key: z.string(), value: z.number() })),
});

interface PartOptions {
  order: FileOrder;
  /** only files that come after it; null: all */
  after: PlaceInOrder | null;
  /** only files that come before it; null: all */
  until: PlaceInOrder | null;
  /** rows that are read */
  limit: number;
  maxFiles: number;
  maxFolders: number;
}

/**
 * Reads the beginning of a range: its subfolders, and those of its files that come first.
 * @param prefix what all keys of the folder start with, as the catalogue has it
 */
export async function readPart(
  database: Run,
  caller: string,
  catalogueId: number,
  prefix: string,
  { from, before }: KeyRange,
  { order, after, until, limit, maxFiles, maxFolders }: PartOptions,
) {
  const column = isByDate(order) ? sql`last_modified` : sql`size`;
  const isDescending = order === "newest" || order === "largest";
  const valueIn = ({ value }: PlaceInOrder) =>
    isByDate(order) ? sql`${new Date(value).toISOString()}::timestamp` : sql`${value}::bigint`;
  const comesAfter = (place: PlaceInOrder) =>
    sql`(${column} ${isDescending ? sql`<` : sql`>`} ${valueIn(place)} OR (${column} = ${valueIn(place)} AND key > ${place.key}))`;
  // PostgreSQL counts characters, not code units.
  const length = Array.from(prefix).length;
  const [part] = await database.$queryInTurn(
    caller,
    sql`
      WITH part AS MATERIALIZED (
        SELECT key, size, last_modified, is_deleted, strpos(substr(key, ${length + 1}), '/') AS slash FROM catalogue_objects
        WHERE catalogue_id = ${catalogueId} AND key >= ${from} AND key < ${before}
        ORDER BY key LIMIT ${limit}),
      folders AS (SELECT DISTINCT left(key, ${length} + slash) AS folder FROM part WHERE slash > 0 AND NOT is_deleted ORDER BY folder LIMIT ${maxFolders}),
      files AS (
        SELECT key, ${isByDate(order) ? sql`round(extract(epoch FROM last_modified) * 1000)` : sql`size`} AS value FROM part
        WHERE slash = 0 AND ${IS_FILE}
          ${after === null ? sql`` : sql`AND ${comesAfter(after)}`} ${until === null ? sql`` : sql`AND NOT ${comesAfter(until)}`}
        ORDER BY ${column} ${isDescending ? sql`DESC` : sql`ASC`}, key LIMIT ${maxFiles})
      SELECT (SELECT count(*) FROM part)::int AS rows, (SELECT max(key) FROM part) AS last, ARRAY(SELECT folder FROM folders) AS folders,
        coalesce((SELECT json_agg(files) FROM files), '[]') AS files`,
    partSchema,
  );
  return part ?? { rows: 0, last: null, folders: [], files: [] };
}

const fileSchema = z.object({ ...objectShape, stored: z.string() });

/** What the catalogue has of some objects. Those that were deleted meanwhile are left out. @param keys as the catalogue has them */
export async function readFiles(database: Run, caller: string, catalogueId: number, keys: readonly string[]) {
  const rows = await database.$queryInTurn(
    caller,
    sql`
      SELECT ${OBJECT_COLUMNS}, key AS stored FROM catalogue_objects
      WHERE catalogue_id = ${catalogueId} AND key = ANY(${[...keys]}::text[]) AND NOT is_deleted`,
    fileSchema,
  );
  return new Map(rows.map(({ stored, ...file }) => [stored, file]));
}
