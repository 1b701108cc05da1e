import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, type Sql, sql } from "../providers/sql.server";
import type { JobKey } from "./campaign-job.server";

type Run = Pick<Database, "$driverQuery">;

/** Far longer than an attempt can take: all its calls of providers together have REQUEST_BUDGET_MS, 12 seconds. */
export const JOB_CLAIM_SECONDS = 60;
const CLAIM_TIME = sql`make_interval(secs => ${JOB_CLAIM_SECONDS})`;

/**
 * Writes that a job is claimed, or suppressed, unless another attempt has claimed it or sent the e-mail. SQL, because one statement decides
 * and writes, by the database's clock.
 * @returns whether it was written
 */
export async function insertClaim(
  database: Run,
  { campaignId, recipient }: JobKey,
  { status, claimId }: { status: "claimed" | "suppressed"; claimId: string },
): Promise<boolean> {
  const written = await database.$driverQuery(sql`
    INSERT INTO email_deliveries AS delivery (campaign_id, recipient, status, claim_id, claimed_at)
    VALUES (${campaignId}, ${recipient}, ${status}, ${claimId}, ${NOW})
    ON CONFLICT (campaign_id, recipient) DO UPDATE SET
      status = EXCLUDED.status,
      claim_id = EXCLUDED.claim_id,
      claimed_at = EXCLUDED.claimed_at,
      attempts = delivery.attempts + 1
    WHERE delivery.status = 'suppressed'
       OR (delivery.status = 'claimed' AND delivery.claimed_at <= EXCLUDED.claimed_at - ${CLAIM_TIME})
    RETURNING 1`);
  return written.length > 0;
}

const claimSchema = z.object({
  status: z.string(),
  messageId: z.string().nullable(),
  /** of the claim */
  secondsLeft: z.int(),
});

/** SQL, because what is left of a claim goes by the database's clock. */
export async function findClaim(
  database: Run,
  { campaignId, recipient }: JobKey,
): Promise<z.infer<typeof claimSchema> | undefined> {
  const [found] = await database.$driverQuery(
    sql`
      SELECT status, message_id AS "messageId",
        ceil(${JOB_CLAIM_SECONDS}::int - extract(epoch FROM ${NOW} - claimed_at))::int AS "secondsLeft"
      FROM email_deliveries WHERE campaign_id = ${campaignId} AND recipient = ${recipient}`,
    claimSchema,
  );
  return found;
}

/** Marks the job as sent; does nothing if another attempt has claimed it since. SQL, because it goes by the database's clock. */
export async function markSent(
  database: Run,
  { campaignId, recipient }: JobKey,
  claimId: string,
  messageId: string,
): Promise<void> {
  await database.$driverQuery(sql`
    UPDATE email_deliveries SET status = 'sent', message_id = ${messageId}, sent_at = ${NOW}
    WHERE campaign_id = ${campaignId} AND recipient = ${recipient} AND claim_id = ${claimId}`);
}

const recordedState = z.enum(["sent", "sending", "waiting", "suppressed"]);
/** The states that `email_deliveries` tells. */
export type RecordedState = z.infer<typeof recordedState>;

/** A job's state. */
const STATE = sql`CASE WHEN status <> 'claimed' THEN status
  WHEN claimed_at <= ${NOW} - ${CLAIM_TIME} THEN 'waiting'
  ELSE 'sending' END`;

/** Counts the jobs of a campaign by their state. SQL, because whether a claim has ended goes by the database's clock. */
export const countStates = (database: Run, campaignId: string) =>
  database.$driverQuery(
    sql`
      SELECT ${STATE} AS state, count(*)::int AS count, max(sent_at) AT TIME ZONE 'UTC' AS "lastSentAt"
      FROM email_deliveries WHERE campaign_id = ${campaignId} GROUP BY 1`,
    z.object({ state: recordedState, count: z.int(), lastSentAt: z.date().nullable() }),
  );

const recordSchema = z.object({
  recipient: z.string(),
  state: recordedState,
  messageId: z.string().nullable(),
  sentAt: z.date().nullable(),
});
export type JobRecord = z.infer<typeof recordSchema>;

/** The jobs of these recipients. SQL, as `countStates`. */
export const readRecords = (
  database: Run,
  campaignId: string,
  recipients: readonly string[],
): Promise<JobRecord[]> =>
  database.$driverQuery(
    sql`
      SELECT recipient, ${STATE} AS state, message_id AS "messageId", sent_at AT TIME ZONE 'UTC' AS "sentAt"
      FROM email_deliveries WHERE campaign_id = ${campaignId} AND recipient = ANY(${recipients})`,
    recordSchema,
  );

export type StopState = "paused" | "cancelled";

/**
 * Writes that a campaign is stopped, unless it is cancelled and is to be paused. SQL, because one statement decides and writes.
 * @returns whether it was written
 */
export async function writeStop(database: Run, campaignId: string, state: StopState): Promise<boolean> {
  const written = await database.$driverQuery(sql`
    INSERT INTO stopped_campaigns AS stopped (campaign_id, state, stopped_at) VALUES (${campaignId}, ${state}, ${NOW})
    ON CONFLICT (campaign_id) DO UPDATE SET state = EXCLUDED.state, stopped_at = EXCLUDED.stopped_at
    WHERE stopped.state = 'paused' OR EXCLUDED.state = 'cancelled' RETURNING 1`);
  return written.length > 0;
}

/** SQL, because Prisma counts no distinct values. Exported for tests of the plan. */
export const selectOutcomeCounts = (campaignId: string, types: readonly string[]): Sql => sql`
  SELECT type, count(DISTINCT recipient)::int AS count FROM events
  WHERE campaign_id = ${campaignId} AND type = ANY(${types}) GROUP BY type`;

/** The numbers of recipients by the type of an event. SQL, as `selectOutcomeCounts`. */
export const countRecipients = (database: Run, campaignId: string, types: readonly string[]) =>
  database.$driverQuery(
    selectOutcomeCounts(campaignId, types),
    z.object({ type: z.string(), count: z.int() }),
  );

/** SQL, because of DISTINCT ON, which Prisma does itself after it has read all rows. Exported for tests of the plan. */
export const selectOutcomes = (
  campaignId: string,
  recipients: readonly string[],
  types: readonly string[],
): Sql => sql`
  SELECT DISTINCT ON (recipient) recipient, type FROM events
  WHERE campaign_id = ${campaignId} AND recipient = ANY(${recipients}) AND type = ANY(${types})
  ORDER BY recipient, occurred_at DESC, id DESC`;

/** The type of the latest event of each recipient. SQL, as `selectOutcomes`. */
export const findLatestTypes = (
  database: Run,
  campaignId: string,
  recipients: readonly string[],
  types: readonly string[],
) =>
  database.$driverQuery(
    selectOutcomes(campaignId, recipients, types),
    z.object({ recipient: z.string(), type: z.string() }),
  );
