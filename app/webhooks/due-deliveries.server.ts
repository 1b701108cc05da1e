import { type Database, NOW } from "../providers/database.server";

/**
 * After this many failures, a delivery no longer blocks later events of the same subject. The fifth attempt is made two and a half hours
 * after the first. So the order survives a shorter outage, and an event that a receiver never accepts does not block its file for longer.
 */
export const MAX_BLOCKING_FAILURES = 5;

/**
 * A condition: whether a row named `delivery` may be sent now. An event waits for earlier ones of its subject and of its source until they
 * are sent, or have failed `MAX_BLOCKING_FAILURES` times.
 */
export const IS_DUE = `next_attempt_at <= ${NOW} AND NOT EXISTS (
  SELECT FROM webhook_deliveries AS earlier
  WHERE earlier.endpoint_id = delivery.endpoint_id AND earlier.subject IN (delivery.subject, delivery.source_subject)
    AND earlier.event_id < delivery.event_id AND earlier.status = 'pending' AND earlier.attempts < ${MAX_BLOCKING_FAILURES}
)`;

const OVERDUE = `
  SELECT coalesce(max(extract(epoch FROM ${NOW} - due.next_attempt_at)), 0)::float8 AS seconds
  FROM webhook_endpoints AS endpoint CROSS JOIN LATERAL (
    SELECT next_attempt_at FROM webhook_deliveries AS delivery
    WHERE endpoint_id = endpoint.id AND ${IS_DUE}
    ORDER BY next_attempt_at, event_id LIMIT 1
  ) AS due
  WHERE endpoint.disabled_at IS NULL`;

/** Age of the oldest due delivery, seconds; 0 if none is due. */
export async function findOverdueSeconds(database: Pick<Database, "$driverQuery">): Promise<number> {
  const [row] = await database.$driverQuery<{ seconds: number }>(OVERDUE, []);
  return row?.seconds ?? 0;
}
