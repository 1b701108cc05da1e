import { z } from "zod";
import { IS_LIVE } from "../embed/embed-clients.sql.server";
import { insertDeliveriesOf } from "../events/events.sql.server";
import { EVENT_COLUMNS, eventRowSchema, type ReadEvents } from "../events/find-events.sql.server";
import { type Database, inTransaction, type Transaction } from "../providers/database.server";
import { NOW, type Sql, sql } from "../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** How long every attempt must have failed before an endpoint is switched off. */
const MAX_FAILING_DAYS = 9;
/** After this many days without an attempt, the count of failing days restarts at zero. Longer than any pause between two attempts. */
const MAX_QUIET_DAYS = 2;
/** How long a process has a delivery for itself. Longer than an attempt can take. */
export const CLAIM_SECONDS = 60;
/** Limits of one process, together with `WebhookWorker.maxRunning`. */
const MAX_RUNNING_PER_COMPANY = 10;
export const MAX_RUNNING_PER_ENDPOINT = 5;

/**
 * After this many failures, a delivery no longer blocks later events of the same subject. The fifth attempt is made two and a half hours
 * after the first. So the order survives a shorter outage, and an event that a receiver never accepts does not block its file for longer.
 */
export const MAX_BLOCKING_FAILURES = 5;

/** A claim looks at so many due deliveries of an endpoint. Otherwise one with a million that wait would stop those of everybody. */
const WINDOW_DELIVERIES = 1_000;
/**
 * How long deliveries are set aside that wait for others while more than `WINDOW_DELIVERIES` are due. Much longer than a claim, because
 * `endWith` tells them from claimed ones by it.
 */
const ASIDE_SECONDS = 5 * CLAIM_SECONDS;

/** The due deliveries of `endpoint` that a statement looks at, as rows named `delivery`. It reads no more of them than it needs. */
const WINDOW = sql`(
  SELECT endpoint_id, event_id, subject, source_subject, next_attempt_at FROM webhook_deliveries
  WHERE endpoint_id = endpoint.id AND next_attempt_at <= ${NOW} ORDER BY next_attempt_at, event_id LIMIT ${WINDOW_DELIVERIES}
) AS delivery`;

/** Locks the rows that `found` names. Another process may have claimed one meanwhile, so whether it is due is looked at again. */
const lockDue = (found: Sql) => sql`
  SELECT locked.endpoint_id, locked.event_id, locked.next_attempt_at FROM (${found}) AS found
    JOIN webhook_deliveries AS locked ON locked.endpoint_id = found.endpoint_id AND locked.event_id = found.event_id
  WHERE locked.next_attempt_at <= ${NOW} FOR UPDATE OF locked SKIP LOCKED`;

/**
 * A condition: whether a row named `delivery` has to wait. An event waits for earlier ones of its subject and of its source until they
 * are sent, or have failed `MAX_BLOCKING_FAILURES` times. OFFSET keeps PostgreSQL from a join with all that wait: it looks into the index for each
 * row, and stops when it has enough of them.
 */
const WAITS = sql`EXISTS (
  SELECT FROM webhook_deliveries AS earlier
  WHERE earlier.endpoint_id = delivery.endpoint_id AND earlier.subject IN (delivery.subject, delivery.source_subject)
    AND earlier.event_id < delivery.event_id AND earlier.status = 'pending' AND earlier.attempts < ${MAX_BLOCKING_FAILURES}
  OFFSET 0
)`;

/** The endpoints, each with the key that created it, while that is live: nothing is sent for a key that was revoked or has expired. */
const LIVE_ENDPOINTS = sql`webhook_endpoints AS endpoint JOIN embed_clients AS client ON client.id = endpoint.client_id AND ${IS_LIVE}`;

/** What every claimed row has, whatever else somebody has written into its tables. */
const claimSchema = z.looseObject({
  endpointId: z.string(),
  eventId: z.string(),
  /** ISO 8601: when the claim ends; it also tells this attempt from others */
  claimEnd: z.string(),
});
type Claim = Pick<z.infer<typeof claimSchema>, "endpointId" | "eventId" | "claimEnd">;

/** A delivery that this process has claimed. */
const deliverySchema = claimSchema.extend({
  companyId: z.string(),
  /** null if it has been deleted since the delivery was inserted */
  event: eventRowSchema.nullable(),
  /** attempts that have ended */
  attempts: z.int(),
  url: z.string(),
  /** encrypted */
  secrets: z.array(z.string()),
  /** of the key that created the endpoint */
  key: z.object({ id: z.string(), allowedServices: z.array(z.string()), allowedScopes: z.unknown() }),
});
export type Delivery = z.infer<typeof deliverySchema>;

/**
 * Claims due deliveries, up to a limit per endpoint and per company. The API keys of a company share what it has: the one with the fewest
 * attempts is next, and of its own the oldest. If all of a full window wait for others, they are set aside, and the next claim sees those
 * behind them. A claim does so for one endpoint, whichever, because it takes a while. SQL, because of SKIP LOCKED.
 * @param running how many attempts run, by endpoint, by API key and by company
 * @param free how many more may run
 * @returns `unreadable`: those whose rows are not what we write. They must not stop the others, which are claimed, too
 */
export async function claimDeliveries(
  database: Run,
  running: Record<"byEndpoint" | "byKey" | "byCompany", Record<string, number>>,
  free: number,
): Promise<{ deliveries: Delivery[]; unreadable: (Claim & { reason: string })[] }> {
  const runningOf = (counts: Record<string, number>, id: Sql) =>
    sql`coalesce((${JSON.stringify(counts)}::jsonb->>${id})::int, 0)`;
  const claimed = await database.$driverQuery(
    sql`
      WITH candidates AS (
        SELECT due.*, endpoint."companyId", ${runningOf(running.byKey, sql`client.id`)}
          + row_number() OVER (PARTITION BY client.id ORDER BY due.next_attempt_at, due.event_id) AS place_of_key
        FROM ${LIVE_ENDPOINTS} CROSS JOIN LATERAL (${lockDue(sql`
          SELECT endpoint_id, event_id FROM ${WINDOW} WHERE NOT ${WAITS}
          ORDER BY next_attempt_at, event_id
          LIMIT greatest(0, ${MAX_RUNNING_PER_ENDPOINT} - ${runningOf(running.byEndpoint, sql`endpoint.id`)})`)}
        ) AS due
        WHERE endpoint.disabled_at IS NULL
      ), idle AS MATERIALIZED (
        SELECT endpoint.id FROM ${LIVE_ENDPOINTS}
        WHERE endpoint.disabled_at IS NULL AND ${runningOf(running.byEndpoint, sql`endpoint.id`)} < ${MAX_RUNNING_PER_ENDPOINT}
          AND NOT EXISTS (SELECT FROM candidates WHERE endpoint_id = endpoint.id)
      ), stuck AS (
        SELECT id FROM idle AS endpoint WHERE EXISTS (
          SELECT FROM webhook_deliveries WHERE endpoint_id = endpoint.id AND next_attempt_at <= ${NOW}
          ORDER BY next_attempt_at, event_id OFFSET ${WINDOW_DELIVERIES} LIMIT 1
        ) ORDER BY random() LIMIT 1
      ), waiting AS (
        SELECT aside.* FROM stuck AS endpoint CROSS JOIN LATERAL (${lockDue(sql`
          SELECT endpoint_id, event_id FROM ${WINDOW} WHERE ${WAITS}`)}
        ) AS aside
      ), set_aside AS (
        UPDATE webhook_deliveries AS delivery SET next_attempt_at = ${NOW} + make_interval(secs => ${ASIDE_SECONDS})
        FROM waiting WHERE delivery.endpoint_id = waiting.endpoint_id AND delivery.event_id = waiting.event_id
      ), placed AS (
        SELECT *, row_number() OVER (PARTITION BY "companyId" ORDER BY place_of_key, next_attempt_at, event_id) AS place FROM candidates
      ), due AS (
        SELECT endpoint_id, event_id FROM placed
        WHERE place <= ${MAX_RUNNING_PER_COMPANY} - ${runningOf(running.byCompany, sql`"companyId"`)}
        ORDER BY place, next_attempt_at, event_id LIMIT ${free}
      ), claimed AS (
        UPDATE webhook_deliveries AS delivery SET next_attempt_at = ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
        FROM due WHERE delivery.endpoint_id = due.endpoint_id AND delivery.event_id = due.event_id
        RETURNING delivery.endpoint_id, delivery.event_id, delivery.attempts, delivery.next_attempt_at
      )
      SELECT endpoint."companyId", endpoint.id AS "endpointId", event_id AS "eventId", to_jsonb(event) AS event, attempts,
        to_char(next_attempt_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "claimEnd", url,
        jsonb_build_object('id', client.id, 'allowedServices', client.allowed_services, 'allowedScopes', client.allowed_scopes) AS key,
        CASE WHEN previous_secret_until > ${NOW} THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END AS secrets
      FROM claimed JOIN webhook_endpoints AS endpoint ON endpoint.id = endpoint_id
        JOIN embed_clients AS client ON client.id = endpoint.client_id
        LEFT JOIN LATERAL (SELECT ${EVENT_COLUMNS} FROM events WHERE id = event_id) AS event ON true`,
    claimSchema,
  );
  const deliveries: Delivery[] = [];
  const unreadable: (Claim & { reason: string })[] = [];
  for (const row of claimed) {
    const { data, error } = deliverySchema.safeParse(row);
    if (data) deliveries.push(data);
    else unreadable.push({ ...row, reason: z.prettifyError(error) });
  }
  return { deliveries, unreadable };
}

/** What became of an attempt. */
interface AttemptEnd {
  status: "delivered" | "pending" | "failed";
  /** the HTTP status; null if there was no response */
  lastStatus: number | null;
  error: string | null;
  /** seconds until the next attempt; null if there is none */
  retrySeconds: number | null;
}

/** A condition: this process still has the claim of a delivery. */
const isClaimed = ({ endpointId, eventId, claimEnd }: Claim) =>
  sql`endpoint_id = ${endpointId} AND event_id = ${eventId}::uuid AND next_attempt_at = ${claimEnd}::timestamp AND status = 'pending'`;

const updateAttempt = (claim: Claim, { status, lastStatus, error, retrySeconds }: AttemptEnd) => sql`
  UPDATE webhook_deliveries SET status = ${status}, attempts = attempts + 1, last_status = ${lastStatus}::int, error = ${error},
    next_attempt_at = ${NOW} + make_interval(secs => ${retrySeconds}),
    delivered_at = CASE WHEN ${status} = 'delivered' THEN ${NOW} END
  WHERE ${isClaimed(claim)}`;

/**
 * CTEs that end an attempt, and make the next delivery of its subject due if it was set aside. It then comes first, as the oldest. One that is
 * claimed, or waits after a failure, is left alone.
 */
const endWith = (change: Sql): Sql => sql`
  ended AS (${change} RETURNING endpoint_id, event_id, subject), woken AS (
    UPDATE webhook_deliveries AS delivery SET next_attempt_at = delivery.created_at
    FROM ended CROSS JOIN LATERAL (
      SELECT event_id FROM webhook_deliveries AS later
      WHERE later.endpoint_id = ended.endpoint_id AND later.subject = ended.subject AND later.event_id > ended.event_id AND status = 'pending'
      ORDER BY event_id LIMIT 1
    ) AS next
    WHERE delivery.endpoint_id = ended.endpoint_id AND delivery.event_id = next.event_id AND delivery.attempts = 0
      AND delivery.next_attempt_at > ${NOW} + make_interval(secs => ${CLAIM_SECONDS})
  )`;

/** Records the end of an attempt, if this process still has the claim. SQL, because it goes by the database's clock. */
export async function endAttempt(database: Run, claim: Claim, end: AttemptEnd): Promise<void> {
  await database.$driverQuery(sql`WITH ${endWith(updateAttempt(claim, end))} SELECT`);
}

/** Deletes a delivery that must not be sent, if this process still has the claim. SQL, because the next one of its subject then follows. */
export async function deleteClaimed(database: Run, claim: Claim): Promise<void> {
  await database.$driverQuery(
    sql`WITH ${endWith(sql`DELETE FROM webhook_deliveries WHERE ${isClaimed(claim)}`)} SELECT`,
  );
}

/** Records the end of an attempt, and that the endpoint does not fail. SQL, because one statement changes both rows. */
export async function endSuccessfulAttempt(database: Run, claim: Claim, end: AttemptEnd): Promise<void> {
  await database.$driverQuery(sql`
    WITH ${endWith(updateAttempt(claim, end))}
    UPDATE webhook_endpoints SET failing_since = NULL WHERE id = ${claim.endpointId} AND failing_since IS NOT NULL`);
}

const FAILING_SINCE = sql`CASE WHEN last_failed_at > ${NOW} - make_interval(days => ${MAX_QUIET_DAYS}) THEN failing_since END`;
const FAILS_TOO_LONG = sql`${FAILING_SINCE} <= ${NOW} - make_interval(days => ${MAX_FAILING_DAYS})`;

/**
 * Records the end of an attempt, notes since when the endpoint fails, and switches it off if it is gone or has failed for too long. SQL,
 * because one statement changes both rows, by the database's clock.
 * @returns why the endpoint was switched off; undefined if it is on, or was off before
 */
export async function endFailedAttempt(
  database: Run,
  claim: Claim,
  end: AttemptEnd,
  isGone: boolean,
): Promise<string | undefined> {
  const [endpoint] = await database.$driverQuery(
    sql`
      WITH ${endWith(updateAttempt(claim, end))}
      UPDATE webhook_endpoints SET failing_since = coalesce(${FAILING_SINCE}, ${NOW}), last_failed_at = ${NOW},
        disabled_at = CASE WHEN ${isGone} OR ${FAILS_TOO_LONG} THEN ${NOW} END,
        disabled_reason = CASE WHEN ${isGone} THEN 'It responded with 410 Gone.'
          WHEN ${FAILS_TOO_LONG} THEN ${`All attempts of ${MAX_FAILING_DAYS} days have failed.`} END
      WHERE id = ${claim.endpointId} AND disabled_at IS NULL
      RETURNING disabled_reason AS "disabledReason"`,
    z.object({ disabledReason: z.string().nullable() }),
  );
  return endpoint?.disabledReason ?? undefined;
}

/** Age of the oldest due delivery, seconds; 0 if none is due. SQL, because of `WAITS`. */
export async function findOverdueSeconds(database: Run): Promise<number> {
  const [row] = await database.$driverQuery(
    sql`
      SELECT coalesce(max(extract(epoch FROM ${NOW} - due.next_attempt_at)), 0)::float8 AS seconds
      FROM ${LIVE_ENDPOINTS} CROSS JOIN LATERAL (
        SELECT next_attempt_at FROM ${WINDOW} WHERE NOT ${WAITS} ORDER BY next_attempt_at, event_id LIMIT 1
      ) AS due
      WHERE endpoint.disabled_at IS NULL`,
    z.object({ seconds: z.number() }),
  );
  return row?.seconds ?? 0;
}

const positionedRowSchema = eventRowSchema.extend({ position: z.string() });

/**
 * A page of a company's events after one of them, oldest first. SQL, because a keyset of two columns is read by their index.
 * @param after of a row, `position` is its time with microseconds; of the first page, ISO 8601
 */
export const findEventsAfter = (
  database: ReadEvents,
  companyId: string,
  after: { position: string; id: string },
  limit: number,
): Promise<z.infer<typeof positionedRowSchema>[]> =>
  database.$queryInTurn(
    companyId,
    sql`
      SELECT ${EVENT_COLUMNS}, occurred_at::text AS position FROM events
      WHERE "companyId" = ${companyId} AND (occurred_at, id) > (${after.position}::timestamp, ${after.id}::uuid)
      ORDER BY occurred_at, id LIMIT ${limit}`,
    positionedRowSchema,
  );

/**
 * Queues those of the events that the endpoint takes. SQL, because the same statement queues new events.
 * @param delivered also those that were delivered, or wait for their first attempt already
 * @returns the ids of those that are queued
 */
export async function requeueEvents(
  database: ReadEvents,
  endpoint: { id: string; companyId: string },
  eventIds: readonly string[],
  { delivered }: { delivered: boolean },
): Promise<string[]> {
  const rows = await database.$queryInTurn(
    endpoint.companyId,
    sql`
      WITH chosen AS (
        SELECT * FROM events WHERE "companyId" = ${endpoint.companyId} AND id = ANY(${eventIds}::uuid[])
      ) ${insertDeliveriesOf("chosen")} AND endpoint.id = ${endpoint.id}
      ON CONFLICT (endpoint_id, event_id) DO UPDATE SET status = 'pending', error = NULL, last_status = NULL, delivered_at = NULL,
        attempts = 0, next_attempt_at = excluded.next_attempt_at
        WHERE webhook_deliveries.status <> 'delivered' AND webhook_deliveries.attempts > 0 OR ${delivered}
      RETURNING event_id AS id`,
    z.object({ id: z.string() }),
  );
  return rows.map(({ id }) => id);
}

/** how long the old secret signs, too, after a change */
const PREVIOUS_SECRET_HOURS = 24;
/** For so long, rotating again returns the same secret: the response may have been lost. */
const REPEAT_MINUTES = 10;
const PREVIOUS_UNTIL: Sql = sql`${NOW} + make_interval(hours => ${PREVIOUS_SECRET_HOURS})`;

/**
 * Replaces the secret of an endpoint, unless it was replaced some minutes ago. SQL, because it goes by the database's clock and keeps the secret
 * that the row has at that moment.
 * @param secret encrypted
 * @returns undefined if it was not replaced
 */
export async function replaceSecret(
  database: Run,
  { id, companyId }: { id: string; companyId?: string | undefined },
  secret: string,
): Promise<{ id: string; url: string; types: string[] } | undefined> {
  const [replaced] = await database.$driverQuery(
    sql`
      UPDATE webhook_endpoints SET secret = ${secret}, previous_secret = secret, previous_secret_until = ${PREVIOUS_UNTIL}
      WHERE id = ${id} AND "companyId" = coalesce(${companyId ?? null}, "companyId")
        AND (previous_secret_until IS NULL OR previous_secret_until < ${PREVIOUS_UNTIL} - make_interval(mins => ${REPEAT_MINUTES}))
      RETURNING id, url, types`,
    z.object({ id: z.string(), url: z.string(), types: z.array(z.string()) }),
  );
  return replaced;
}

/** SQL, because of FOR NO KEY UPDATE: changes wait for each other here, and whatever refers to the company can still be written. */
export async function lockCompany(transaction: Transaction, companyId: string): Promise<void> {
  await inTransaction(transaction).$driverQuery(
    sql`SELECT 1 FROM companies WHERE id = ${companyId} FOR NO KEY UPDATE`,
  );
}
