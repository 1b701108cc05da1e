import { LRUCache } from "lru-cache";
import { z } from "zod";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { logError } from "../shared/log.server";
import { withinLimit } from "../shared/within-limit";
import { EVERY_VISITOR, findRevocations, revokeIssuedBefore } from "./revoked-tokens.sql.server";
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

/** Milliseconds. A revoked token may be accepted for as long as both together: the age of a cache entry, and one query. */
const MAX_AGE_MS = 4_000;
const QUERY_LIMIT_MS = 1_000;
const MAX_REMEMBERED_CLIENTS = 10_000;

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
      const found = findRevocations(database, clientId);
      const rows = await withinLimit(QUERY_LIMIT_MS, found, () => new Error("timeout expired"));
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
 */
export async function revokeTokensFor(
  seconds: number,
  clientId: string,
  transaction: Pick<Database, "$driverQuery">,
): Promise<void> {
  const end = Math.ceil(Date.now() / 1000 + seconds) + 1;
  await revokeIssuedBefore(transaction, clientId, EVERY_VISITOR, end);
}
