import { z } from "zod";
import type { Database } from "../providers/database.server";
import { NOW, type Sql, sql } from "../providers/sql.server";

type Run = Pick<Database, "$driverQuery">;

/** How long a key is remembered. */
const KEEP_HOURS = 24;
/** More than twice a request's time (REQUEST_BUDGET_MS): a request that has not ended by then was interrupted. */
const KEY_CLAIM_SECONDS = 30;

/** The provider's id of a message. Null: sending was started, and its outcome is unknown. */
export type Outcome = string | null;
const outcomes = z.record(z.string(), z.string().nullable());

const IS_FREE = sql`(known.claim_id IS NULL OR known.claimed_at <= ${NOW} - make_interval(secs => ${KEY_CLAIM_SECONDS}))`;
const IS_OVER = sql`known.created_at <= ${NOW} - make_interval(hours => ${KEEP_HOURS})`;

/**
 * Claims a key, unless a request holds it, has used it with another body, or has an outcome for each recipient. SQL, because one statement
 * decides and writes, by the database's clock.
 * @returns the outcomes of earlier requests; undefined if it was not claimed
 */
export async function claimKey(
  database: Run,
  {
    keyHash,
    bodyHash,
    claimId,
    recipients,
  }: { keyHash: string; bodyHash: string; claimId: string; recipients: number },
): Promise<Record<string, Outcome> | undefined> {
  const [claimed] = await database.$driverQuery(
    sql`
      INSERT INTO idempotency_keys AS known (key_hash, body_hash, created_at, claim_id, claimed_at)
      VALUES (${keyHash}, ${bodyHash}, ${NOW}, ${claimId}, ${NOW})
      ON CONFLICT (key_hash) DO UPDATE SET
        body_hash = EXCLUDED.body_hash,
        created_at = CASE WHEN ${IS_OVER} THEN EXCLUDED.created_at ELSE known.created_at END,
        claim_id = EXCLUDED.claim_id,
        claimed_at = EXCLUDED.claimed_at,
        outcomes = CASE WHEN ${IS_OVER} THEN '{}' ELSE known.outcomes END
      WHERE ${IS_FREE} AND (${IS_OVER} OR (known.body_hash = EXCLUDED.body_hash
        AND (SELECT count(*) FROM jsonb_object_keys(known.outcomes)) < ${recipients}::int))
      RETURNING outcomes`,
    z.object({ outcomes }),
  );
  return claimed?.outcomes;
}

const keySchema = z.object({
  bodyHash: z.string(),
  outcomes,
  /** of the claim; 0 or less when no request holds it */
  secondsLeft: z.int(),
});

/** SQL, because what is left of a claim goes by the database's clock. */
export async function findKey(
  database: Run,
  keyHash: string,
): Promise<z.infer<typeof keySchema> | undefined> {
  const [found] = await database.$driverQuery(
    sql`
      SELECT body_hash AS "bodyHash", outcomes,
        CASE WHEN claim_id IS NULL THEN 0
          ELSE ceil(${KEY_CLAIM_SECONDS}::int - extract(epoch FROM ${NOW} - claimed_at))::int END AS "secondsLeft"
      FROM idempotency_keys WHERE key_hash = ${keyHash}`,
    keySchema,
  );
  return found;
}

interface Claim {
  keyHash: string;
  claimId: string | null;
  /** of a recipient, in the request */
  index: number;
}

/** SQL, because it changes one member of JSON, which a concurrent write of another one must keep. @returns whether the claim is still held */
async function updateOutcomes(database: Run, { keyHash, claimId }: Claim, changed: Sql): Promise<boolean> {
  const rows = await database.$driverQuery(
    sql`UPDATE idempotency_keys SET outcomes = ${changed} WHERE key_hash = ${keyHash} AND claim_id = ${claimId} RETURNING 1`,
  );
  return rows.length === 1;
}

/** Records the outcome for one recipient. @returns whether the claim is still held */
export const setOutcome = (database: Run, claim: Claim, outcome: Outcome): Promise<boolean> =>
  updateOutcomes(
    database,
    claim,
    sql`outcomes || jsonb_build_object(${String(claim.index)}::text, ${outcome}::text)`,
  );

/** Deletes the outcome for one recipient. @returns whether the claim is still held */
export const deleteOutcome = (database: Run, claim: Claim): Promise<boolean> =>
  updateOutcomes(database, claim, sql`outcomes - ${String(claim.index)}::text`);
