/* The rows of objects. SQL, because keys may have NUL, pages go on after a key, and each statement that writes decides by the database's clock. */
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { numberFromText, sql } from "../providers/sql.server";
import { insertChanges } from "./change-log.sql.server";
import { CLOCK_MOMENT, type Moment } from "./clock.sql.server";
import { foldedNameOf } from "./folded-name";
import { fromStoredKey, toStoredKey } from "./stored-key";

type Run = Pick<Database, "$driverQuery">;

/** Rows deleted by one statement. */
const BATCH_ROWS = 5_000;

/** Deletes some of a catalogue's rows. @returns how many; 0 if none is left */
export async function deleteObjects(database: Run, catalogueId: number): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      WITH deleted AS (
        DELETE FROM catalogue_objects WHERE ctid = ANY(ARRAY(
          SELECT ctid FROM catalogue_objects WHERE catalogue_id = ${catalogueId} LIMIT ${BATCH_ROWS} FOR UPDATE))
        RETURNING 1)
      SELECT count(*)::int AS count FROM deleted`,
    z.object({ count: z.int() }),
  );
  return row?.count ?? 0;
}

/** Rows of objects that are files, not markers of folders: `isFolderMarker` says the same of a key. */
export const IS_FILE = sql`NOT is_deleted AND (size > 0 OR right(key, 1) <> '/')`;

/** What most readers need of a row. */
export const OBJECT_COLUMNS = sql`key, size::text, etag, last_modified AT TIME ZONE 'UTC' AS "lastModified"`;
/** `OBJECT_COLUMNS`, read. */
export const objectShape = {
  key: z.string().transform(fromStoredKey),
  size: numberFromText,
  etag: z.string(),
  lastModified: z.date(),
};

const objectSchema = z.object({ ...objectShape, storageClass: z.string().nullable() });
/** An object, as the catalogue has it. */
export type KnownObject = z.infer<typeof objectSchema>;

/** Objects of a catalogue in the order of the store: those that come after `after`, and not after `until` (null: the end of the bucket). */
export const readObjects = (
  database: Run,
  catalogueId: number,
  { after, until, limit }: { after: string; until: string | null; limit: number },
): Promise<KnownObject[]> =>
  database.$driverQuery(
    sql`
      SELECT ${OBJECT_COLUMNS}, storage_class AS "storageClass" FROM catalogue_objects
      WHERE catalogue_id = ${catalogueId} AND key > ${toStoredKey(after)} ${until === null ? sql`` : sql`AND key <= ${toStoredKey(until)}`}
        AND NOT is_deleted
      ORDER BY key LIMIT ${limit}`,
    objectSchema,
  );

/** The moment by the database's clock. Read it before the store is asked. SQL, because it is that clock's. */
export async function readClock(database: Run): Promise<Moment> {
  const [row] = await database.$driverQuery(
    sql`SELECT ${CLOCK_MOMENT} AS now`,
    z.object({ now: z.string() }),
  );
  return row?.now ?? "-infinity";
}

/** What the store has said that it holds at a key. */
export interface ObservedObject {
  bucket: string;
  key: string;
  /** the moment by the database's clock before the store was asked */
  asOf: Moment;
  /** null: there is none */
  object: {
    size: number;
    etag: string;
    lastModified: Date;
    storageClass?: string | undefined;
  } | null;
}

/**
 * Writes what the store holds at some keys into the catalogues of their buckets. Buckets without one are left out, and so is what is older
 * than the row that is there.
 *
 * - `observed`: the objects with their catalogues. The lock keeps these until the statement has ended, so that none is removed meanwhile, and no
 *   first scan ends.
 * - `written`: the rows.
 * - The log of complete catalogues gets a row for each of them.
 * @param objects each key once
 */
export async function writeObserved(database: Run, objects: readonly ObservedObject[]): Promise<void> {
  const column = <Value>(read: (observed: ObservedObject) => Value) => objects.map(read);
  const ofObject = <Value>(
    read: (object: NonNullable<ObservedObject["object"]>) => Value,
    otherwise: Value,
  ) => column(({ object }) => (object === null ? otherwise : read(object)));
  const keys = column(({ key }) => toStoredKey(key));
  await database.$driverQuery(sql`
    WITH observed AS (
      SELECT catalogues.id, catalogues.scanned_at IS NOT NULL AS is_complete, given.* FROM unnest(${column(({ bucket }) => bucket)}::text[], ${keys}::text[], ${column(({ key }) => foldedNameOf(key))}::text[],
        ${column(({ asOf }) => asOf)}::timestamp[], ${column(({ object }) => object === null)}::boolean[], ${ofObject(({ size }) => size, 0)}::bigint[],
        ${ofObject(({ etag }) => etag, "")}::text[], ${ofObject(({ lastModified }) => lastModified, new Date(0)).map((date) => date.toISOString())}::timestamp[],
        ${ofObject(({ storageClass }) => storageClass ?? null, null)}::text[])
        AS given(bucket, key, folded_name, as_of, is_deleted, size, etag, last_modified, storage_class)
      JOIN catalogues ON catalogues.bucket = given.bucket AND NOT catalogues.is_being_removed FOR SHARE OF catalogues
    ), written AS (
      INSERT INTO catalogue_objects AS known (catalogue_id, key, folded_name, is_deleted, size, etag, last_modified, storage_class, as_of)
      SELECT id, key, folded_name, is_deleted, size, etag, last_modified, storage_class, as_of
      FROM observed ORDER BY id, key COLLATE "C"
      ON CONFLICT (catalogue_id, key) DO UPDATE SET is_deleted = excluded.is_deleted, folded_name = excluded.folded_name, size = excluded.size,
        etag = excluded.etag, last_modified = excluded.last_modified, storage_class = excluded.storage_class, as_of = excluded.as_of
      WHERE known.as_of < excluded.as_of
      RETURNING catalogue_id, key
    )
    ${insertChanges(sql`SELECT catalogue_id, key FROM written WHERE catalogue_id IN (SELECT id FROM observed WHERE is_complete)`)}`);
}
