import { z } from "zod";
import type { ServiceTools } from "../../../embed/service";
import type { FileEventType } from "../../../events/event";
import { sql } from "../../../providers/sql.server";

type Run = ServiceTools["database"];

/** maximum numbers of events that one lookup reads */
const MAX_AUTHORS = 5_000;
const MAX_MOVES = 10_000;

const authorSchema = z.object({
  key: z.string(),
  data: z.looseObject({ version: z.string().optional(), etag: z.string().optional() }),
  occurredAt: z.date(),
  visitorId: z.string(),
  visitorName: z.string().nullable(),
});
export type AuthoredEvent = z.infer<typeof authorSchema>;

/**
 * The events of these keys and types that name a visitor, newest first: those of these versions, and those in this time that name no version.
 * SQL, because it asks for a member of JSON, and keys may have NUL.
 */
export const findAuthoredEvents = (
  database: Run,
  place: { companyId: string; bucket: string; keys: readonly string[] },
  types: readonly FileEventType[],
  { versionIds, since, until }: { versionIds: readonly string[]; since: Date; until: Date },
): Promise<AuthoredEvent[]> =>
  database.$queryInTurn(
    place.companyId,
    sql`
      SELECT key, data, occurred_at AT TIME ZONE 'UTC' AS "occurredAt", visitor_id AS "visitorId", visitor_name AS "visitorName" FROM events
      WHERE key = ANY(${place.keys}) AND bucket = ${place.bucket} AND "companyId" = ${place.companyId} AND type = ANY(${types})
        AND NOT data ? 'restoredVersion' AND visitor_id IS NOT NULL
        AND CASE WHEN data ? 'version' THEN data->>'version' = ANY(${versionIds})
          ELSE occurred_at BETWEEN ${since.toISOString()}::timestamp AND ${until.toISOString()}::timestamp END
      ORDER BY occurred_at DESC LIMIT ${MAX_AUTHORS}`,
    authorSchema,
  );

const removalSchema = z.object({
  /** the file that was deleted, or from which a file was moved */
  key: z.string(),
  /** the delete marker; only moves have none */
  version: z.string().nullable(),
  occurredAt: z.date(),
});

/** Moves away from these keys, and deletions of them. SQL, because it looks for a member of JSON, by its index. */
export const findRemovals = (
  database: Run,
  place: { companyId: string; bucket: string; keys: readonly string[] },
  { since, until }: { since: Date; until: Date },
): Promise<z.infer<typeof removalSchema>[]> => {
  const inTime = sql`"companyId" = ${place.companyId} AND bucket = ${place.bucket}
    AND occurred_at BETWEEN ${since.toISOString()}::timestamp AND ${until.toISOString()}::timestamp`;
  return database.$queryInTurn(
    place.companyId,
    sql`
      SELECT data->>'from' AS key, NULL AS version, occurred_at AT TIME ZONE 'UTC' AS "occurredAt" FROM events
      WHERE ${inTime} AND type = 'file.moved' AND data->>'from' = ANY(${place.keys})
      UNION ALL
      SELECT key, data->>'version' AS version, occurred_at AT TIME ZONE 'UTC' AS "occurredAt" FROM events
      WHERE ${inTime} AND type = 'file.deleted' AND key = ANY(${place.keys}) LIMIT ${MAX_MOVES}`,
    removalSchema,
  );
};
