import { LRUCache } from "lru-cache";
import { z } from "zod";
import { type Database, NOW } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { withinLimit } from "../shared/within-limit";
import type { Grant } from "./service";
import { visitorSchema } from "./visitor";

/** The body of `POST /api/embed/revoke`. */
export const revokeTokensSchema = z
  .strictObject({
    visitor: visitorSchema.shape.id.optional().describe("the id of the visitor whose tokens to revoke"),
    issuedBefore: z
      .int()
      .min(0)
      .optional()
      .describe("unix seconds, now at the latest; tokens that were issued before are revoked"),
  })
  .refine(({ visitor, issuedBefore }) => visitor !== undefined || issuedBefore !== undefined, {
    error: "must have a visitor, issuedBefore, or both",
  });

export const revokedTokensSchema = z.object({
  revokedBefore: z.int().describe("unix seconds; tokens that were issued before are refused"),
});

/** The row that applies to all visitors of a client. A visitor's id is never empty. */
const EVERY_VISITOR = "";

/** Milliseconds. A revoked token may be accepted for as long as both together: the age of a cache entry, and one query. */
const MAX_AGE_MS = 4_000;
const QUERY_LIMIT_MS = 1_000;
const MAX_REMEMBERED_CLIENTS = 10_000;
/** With more rows of one client, all of its tokens are revoked. Concurrent revocations may add a few. */
const MAX_VISITORS = 10_000;

/** All tokens that older rows revoke have expired: a token is valid for an hour at most. */
export const REVOCATION_KEEP_HOURS = 2;
const KEPT_SINCE = `${NOW} - interval '${REVOCATION_KEEP_HOURS} hours'`;

const REVOKED = `
  SELECT visitor, extract(epoch FROM revoked_before)::float8 AS "revokedBefore"
  FROM token_revocations WHERE client_id = $1 AND revoked_before > ${KEPT_SINCE}
  UNION ALL
  SELECT '${EVERY_VISITOR}', 'infinity'::float8 FROM embed_clients WHERE id = $1 AND revoked_at IS NOT NULL`;

/** By visitor: tokens that were issued before this time are refused, unix seconds. */
type Cutoffs = ReadonlyMap<string, number>;

/**
 * Refuses embed tokens that were revoked, or whose API key was, within 5 seconds on every replica. While the database cannot be
 * reached, tokens remain valid: a database outage must not lock everybody out. The query has a connection of its own, so that a busy pool
 * does not look like an outage. docs/contract.md#revoking-tokens
 */
export class RevokedTokens {
  readonly #cutoffs: LRUCache<string, Cutoffs>;
  #isUnreachable = false;

  /** @param clock monotonic, milliseconds */
  constructor(database: Pick<Database, "$reservedQuery">, clock: { now(): number } = performance) {
    this.#cutoffs = new LRUCache<string, Cutoffs>({
      max: MAX_REMEMBERED_CLIENTS,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: clock,
      ignoreFetchAbort: true,
      fetchMethod: (clientId, stale) => this.#read(database, clientId, stale),
    });
  }

  /** @throws AppError `token_revoked` */
  async check({
    clientId,
    visitor,
    issuedAt,
  }: Pick<Grant, "clientId" | "visitor" | "issuedAt">): Promise<void> {
    const cutoffs = await this.#cutoffs.fetch(clientId);
    const before = (id: string) => cutoffs?.get(id) ?? 0;
    const revokedBefore = Math.max(before(EVERY_VISITOR), visitor === undefined ? 0 : before(visitor.id));
    if (issuedAt < revokedBefore) {
      throw new AppError("token_revoked", "The embed token was revoked. Ask your backend for a new one.");
    }
  }

  async #read(
    database: Pick<Database, "$reservedQuery">,
    clientId: string,
    stale: Cutoffs | undefined,
  ): Promise<Cutoffs> {
    try {
      const query = database.$reservedQuery<{ visitor: string; revokedBefore: number }>(REVOKED, [clientId]);
      const rows = await withinLimit(QUERY_LIMIT_MS, query, () => new Error("timeout expired"));
      this.#isUnreachable = false;
      const cutoffs = new Map<string, number>();
      for (const { visitor, revokedBefore } of rows)
        cutoffs.set(visitor, Math.max(revokedBefore, cutoffs.get(visitor) ?? 0));
      return cutoffs;
    } catch (thrown) {
      if (!this.#isUnreachable) {
        this.#isUnreachable = true;
        const text = "Embed tokens that were revoked are accepted until the database can be reached again.";
        logError(text, { thrown });
      }
      return stale ?? new Map();
    }
  }
}

/**
 * Adds or changes one row, and deletes those that it makes superfluous or that are too old. It skips rows that are locked, because another
 * revocation or the cleanup changes them at this moment: two that waited for each other would be a deadlock.
 */
const REVOKE = `
  WITH kept AS (
    SELECT count(*) AS count FROM token_revocations WHERE client_id = $1 AND revoked_before > ${KEPT_SINCE}
  ), revoked AS (
    INSERT INTO token_revocations (client_id, visitor, revoked_before)
    SELECT $1, CASE WHEN count < ${MAX_VISITORS} THEN $2 ELSE '${EVERY_VISITOR}' END, to_timestamp($3) AT TIME ZONE 'UTC'
    FROM kept
    ON CONFLICT (client_id, visitor) DO UPDATE
      SET revoked_before = greatest(token_revocations.revoked_before, excluded.revoked_before)
    RETURNING visitor, revoked_before
  ), deleted AS (
    DELETE FROM token_revocations WHERE ctid = ANY(ARRAY(
      SELECT other.ctid FROM token_revocations AS other, revoked
      WHERE client_id = $1 AND other.visitor <> revoked.visitor
        AND (other.revoked_before <= ${KEPT_SINCE}
          OR revoked.visitor = '${EVERY_VISITOR}' AND other.revoked_before <= revoked.revoked_before)
      FOR UPDATE OF other SKIP LOCKED
    ))
  )
  SELECT extract(epoch FROM revoked_before)::float8 AS "revokedBefore" FROM revoked`;

/**
 * Revokes the tokens of a client that were issued until now, or before `issuedBefore`: all of them, or those of one visitor; all as well
 * if very many visitors were revoked lately. Nothing makes a revoked token valid again.
 * @param nowSeconds unix seconds
 * @returns unix seconds; tokens that were issued before are refused
 */
export async function revokeTokens(
  database: Pick<Database, "$driverQuery">,
  clientId: string,
  { visitor = EVERY_VISITOR, issuedBefore }: z.infer<typeof revokeTokensSchema>,
  nowSeconds: number,
): Promise<number> {
  // Tokens name the second in which they were issued, so this includes those of the current one.
  const end = nowSeconds + 1;
  return revokeIssuedBefore(database, clientId, visitor, Math.min(issuedBefore ?? end, end));
}

/**
 * Revokes the tokens of a client that are issued until `seconds` from now on, in a transaction that changes what its tokens may allow.
 * @param transaction runs one statement with its values
 */
export async function revokeTokensFor(
  seconds: number,
  clientId: string,
  transaction: Pick<Database, "$driverQuery">,
): Promise<void> {
  const end = Math.ceil(Date.now() / 1000 + seconds) + 1;
  await revokeIssuedBefore(transaction, clientId, EVERY_VISITOR, end);
}

/** @param end unix seconds */
async function revokeIssuedBefore(
  database: Pick<Database, "$driverQuery">,
  clientId: string,
  visitor: string,
  end: number,
): Promise<number> {
  const values = [clientId, visitor, end];
  const [row] = await database.$driverQuery<{ revokedBefore: number }>(REVOKE, values);
  return row?.revokedBefore ?? end;
}
