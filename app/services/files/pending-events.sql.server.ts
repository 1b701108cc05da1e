/* What the record says of changes whose outcome is not known. SQL for all of it, because it looks for members of JSON. */
import { z } from "zod";
import type { ServiceTools } from "../../embed/service";
import { type FileEventType, fileEventTypes } from "../../events/event";
import type { ObjectName } from "../../providers/object-changes.server";
import { joinSql, NOW, rawSql, type Sql, sql } from "../../providers/sql.server";
import { ABANDONED_AFTER_HOURS, type PendingEvent } from "./place/pending-event";
import { CHECKED } from "./uploads/uploads.sql.server";

type Run = ServiceTools["database"];

/** No request lives this long: a change that is still pending then was interrupted. */
export const MIN_AGE_MINUTES = 15;

/** A condition: `pending` is a row of `pending_events`. */
const IS_RECORDED = sql`EXISTS (SELECT FROM events WHERE events.id = pending.id)`;
const AGE = sql`${NOW} - pending_since`;

/** A row that a later version has written must not stop the others: what it writes otherwise counts as missing. */
const text = z.string().optional().catch(undefined);
const pendingDataSchema = z.looseObject({
  etag: text,
  version: text,
  from: text,
  fromVersion: text,
  restoredVersion: text,
  size: z.number().optional().catch(undefined),
});

const pendingSchema = z.object({
  id: z.string(),
  type: z.enum(fileEventTypes),
  pendingSince: z.number(),
  companyId: z.string(),
  bucket: z.string(),
  key: z.string(),
  data: pendingDataSchema,
  isRecorded: z.boolean(),
});

/** Somebody with more pending uploads than this waits for the uploads of all others. */
const MAX_PENDING_UPLOADS = 1_000;

/** Those who have begun very many uploads. Tokens of a key that name no visitor count as one. */
export async function findBusiest(database: Run): Promise<Busiest> {
  const rows = await database.$driverQuery(
    sql`
      SELECT client_id AS "clientId", coalesce(visitor_id, '') AS "visitorId" FROM pending_events
      WHERE type = 'file.uploaded' GROUP BY 1, 2 HAVING count(*) > ${MAX_PENDING_UPLOADS}`,
    z.object({ clientId: z.string(), visitorId: z.string() }),
  );
  return { clientIds: rows.map((row) => row.clientId), visitorIds: rows.map((row) => row.visitorId) };
}
interface Busiest {
  clientIds: string[];
  /** each with the client of the same index */
  visitorIds: string[];
}

/** What cleanup asks the store about, in this order. */
export type PendingKind = "changes" | "uploads" | "uploads of the busiest";
export const pendingKinds: readonly PendingKind[] = ["changes", "uploads", "uploads of the busiest"];

const readPending = (database: Run, isUpload: boolean, which: Sql): Promise<PendingEvent[]> =>
  database.$driverQuery(
    sql`
      SELECT id, type, extract(epoch FROM pending_since)::float8 AS "pendingSince", "companyId", bucket, key, data, ${IS_RECORDED} AS "isRecorded"
      FROM pending_events AS pending
      WHERE ${AGE} > make_interval(mins => ${MIN_AGE_MINUTES})
        AND (NOT data ? ${CHECKED} OR ${AGE} > make_interval(hours => ${ABANDONED_AFTER_HOURS}))
        AND type = ANY(${fileEventTypes}) AND (type = 'file.uploaded') = ${isUpload} AND ${which}`,
    pendingSchema,
  );

/** Changes that are to be resolved, in the order of their ids. @param after the last id of the batch before */
export function nextPending(
  database: Run,
  kind: PendingKind,
  { clientIds, visitorIds }: Busiest,
  after: string,
  limit: number,
): Promise<PendingEvent[]> {
  const isOfBusiest = sql`(client_id, coalesce(visitor_id, '')) IN (SELECT * FROM unnest(${clientIds}::text[], ${visitorIds}::text[]))`;
  const isOfKind =
    kind === "changes" ? sql`true` : sql`${isOfBusiest} = ${kind === "uploads of the busiest"}`;
  return readPending(
    database,
    kind !== "changes",
    sql`${isOfKind} AND id > ${after}::uuid ORDER BY id LIMIT ${limit}`,
  );
}

/** One of them, if it is still to be resolved. */
export const stillPending = async (
  database: Run,
  kind: PendingKind,
  id: string,
): Promise<PendingEvent | undefined> =>
  (await readPending(database, kind !== "changes", sql`id = ${id}::uuid`))[0];

/** How many changes are pending that may be running. */
export async function countRecent(database: Run): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      SELECT count(*)::int AS recent FROM pending_events AS pending
      WHERE ${AGE} <= make_interval(mins => ${MIN_AGE_MINUTES}) AND NOT ${IS_RECORDED}`,
    z.object({ recent: z.int() }),
  );
  return row?.recent ?? 0;
}

/** Members of an event's data by which it is recognized; null if it must not have one. */
export type SameData = Partial<
  Record<"version" | "from" | "etag" | "restoredVersion" | "fromVersion", string | null>
>;

const isSame = (data: SameData): Sql => {
  const conditions = Object.entries(data).map(([member, value]) => {
    const found = rawSql(`data->>'${member}'`);
    return value === null ? sql`${found} IS NULL` : sql`${found} = ${value}`;
  });
  return joinSql([sql`true`, ...conditions], " AND ");
};

/** Whether an object has an event of this type, with this data, since a time. @param since unix seconds */
export async function hasEvent(
  database: Run,
  { type, bucket, key }: ObjectName & { type: FileEventType },
  data: SameData,
  since: number,
): Promise<boolean> {
  const found = await database.$driverQuery(sql`
    SELECT FROM events WHERE bucket = ${bucket} AND key = ${key} AND type = ${type}
      AND occurred_at >= to_timestamp(${since}) AT TIME ZONE 'utc' AND ${isSame(data)} LIMIT 1`);
  return found.length > 0;
}

/** Whether a deletion, copy or move since a time names a content as what a key had. @param since unix seconds */
export async function wasNamedAt(
  database: Run,
  { bucket, key, etag }: ObjectName & { etag: string },
  since: number,
): Promise<boolean> {
  const found = await database.$driverQuery(sql`
    SELECT FROM events WHERE bucket = ${bucket} AND occurred_at >= to_timestamp(${since}) AT TIME ZONE 'utc' AND data->>'etag' = ${etag}
      AND ((type = 'file.deleted' AND key = ${key}) OR (type IN ('file.copied', 'file.moved') AND data->>'from' = ${key})) LIMIT 1`);
  return found.length > 0;
}
