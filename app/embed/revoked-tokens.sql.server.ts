import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, sql } from "../providers/sql.server";

/** All tokens that older rows revoke have expired: a token is valid for an hour at most. */
export const REVOCATION_KEEP_HOURS = 2;
const KEPT_SINCE = sql`${NOW} - make_interval(hours => ${REVOCATION_KEEP_HOURS})`;

/** With more rows of one client, all of its tokens are revoked. Concurrent revocations may add a few. */
const MAX_VISITORS = 10_000;

/** The row that applies to all visitors of a client. A visitor's id is never empty. */
export const EVERY_VISITOR = "";

/** unix seconds; infinite for a key that was revoked */
const revokedBefore = z.custom<number>((value) => typeof value === "number");
const cutoffSchema = z.object({ visitor: z.string(), revokedBefore });

/** SQL, because of the connection that is reserved for it. It answers what has been revoked of a client by one statement. */
export const findRevocations = (database: Pick<Database, "$reservedQuery">, clientId: string) =>
  database.$reservedQuery(
    sql`
      SELECT visitor, extract(epoch FROM revoked_before)::float8 AS "revokedBefore"
      FROM token_revocations WHERE client_id = ${clientId} AND revoked_before > ${KEPT_SINCE}
      UNION ALL
      SELECT ${EVERY_VISITOR}, 'infinity'::float8 FROM embed_clients WHERE id = ${clientId} AND revoked_at IS NOT NULL`,
    cutoffSchema,
  );

/**
 * Adds or changes one row, and deletes those that it makes superfluous or that are too old. SQL, because one statement counts, writes and
 * deletes. It skips rows that are locked, because another revocation or the cleanup changes them at this moment: two that waited for each
 * other would be a deadlock. What it counts and deletes is read by an index of client and time, and the rows of all other visitors are not read.
 * @param end unix seconds
 * @returns unix seconds
 */
export async function revokeIssuedBefore(
  database: Pick<Database, "$driverQuery">,
  clientId: string,
  visitor: string,
  end: number,
): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      WITH kept AS (
        SELECT count(*) AS count FROM token_revocations WHERE client_id = ${clientId} AND revoked_before > ${KEPT_SINCE}
      ), revoked AS (
        INSERT INTO token_revocations (client_id, visitor, revoked_before)
        SELECT ${clientId}, CASE WHEN count < ${MAX_VISITORS} THEN ${visitor} ELSE ${EVERY_VISITOR} END,
          to_timestamp(${end}) AT TIME ZONE 'UTC'
        FROM kept
        ON CONFLICT (client_id, visitor) DO UPDATE
          SET revoked_before = greatest(token_revocations.revoked_before, excluded.revoked_before)
        RETURNING visitor, revoked_before
      ), deleted AS (
        DELETE FROM token_revocations WHERE ctid = ANY(ARRAY(
          SELECT other.ctid FROM token_revocations AS other, revoked
          WHERE client_id = ${clientId} AND other.visitor <> revoked.visitor
            AND other.revoked_before <=
              CASE WHEN revoked.visitor = ${EVERY_VISITOR} THEN greatest(revoked.revoked_before, ${KEPT_SINCE}) ELSE ${KEPT_SINCE} END
          FOR UPDATE OF other SKIP LOCKED
        ))
      )
      SELECT extract(epoch FROM revoked_before)::float8 AS "revokedBefore" FROM revoked`,
    z.object({ revokedBefore }),
  );
  return row?.revokedBefore ?? end;
}
