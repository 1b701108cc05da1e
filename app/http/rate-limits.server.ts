import { hash } from "node:crypto";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Env } from "../env/env.server";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { storeClientOf } from "./rate-limits.sql.server";

/**
 * What a request is counted by: an API key or bearer token, an embed token, or its caller's IP address if it has neither. Preflights are counted
 * by address, too, but apart: browsers send one for each page and endpoint, and many people may have one address. `events` are those that requests
 * with an embed token record, in a day; `carried` are those beyond them, of changes that had begun.
 */
export type RateLimitKind = "key" | "token" | "address" | "preflight" | "events" | "carried";

export interface RateLimits {
  /** Counts one request, or one that is worth several; 0 only looks. @throws AppError `rate_limited` when there have been too many in a minute, or of events in a day */
  count(kind: RateLimitKind, identity: string, requests?: number): Promise<void>;
}

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** events that one request may read */
export const EVENTS_OF_ONE_REQUEST = 200;

/** How many more requests one counts as that is for so many things, if an ordinary one is for `perRequest` of them at most. */
export const furtherRequestsOf = (things: number, perRequest: number) =>
  Math.max(0, Math.ceil(things / perRequest) - 1);

/**
 * Limits by `rate-limiter-flexible`. The counts are in this process's memory, so that each replica has its own, or in PostgreSQL, so that
 * all share them. While PostgreSQL cannot be reached, each replica counts for itself.
 */
export function createRateLimits(settings: Env["rateLimits"], database: Database): RateLimits {
  const { perKey, perToken, perAddress, eventsPerDay, store } = settings;
  const limiters = {
    key: createLimiter("key", perKey, store, database),
    token: createLimiter("token", perToken, store, database),
    address: createLimiter("address", perAddress, store, database),
    // In memory, because the response costs less than a query.
    preflight: createLimiter("preflight", perAddress, "memory", database),
    events: createLimiter("events", eventsPerDay, store, database, DAY_SECONDS),
    carried: createLimiter("carried", eventsPerDay, store, database, DAY_SECONDS),
  };
  return {
    async count(kind, identity, requests = 1) {
      const limiter = limiters[kind];
      if (limiter === undefined) return;
      try {
        await limiter.consume(fingerprint(identity), requests);
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw rateLimited(kind, refused.msBeforeNext);
        throw refused;
      }
    },
  };
}

function createLimiter(
  kind: RateLimitKind,
  points: number,
  store: Env["rateLimits"]["store"],
  database: Database,
  duration = MINUTE_SECONDS,
): RateLimiterMemory | RateLimiterPostgres | undefined {
  if (points === 0) return undefined;
  const limits = { keyPrefix: kind, points, duration };
  const inMemory = new RateLimiterMemory(limits);
  if (store === "memory") return inMemory;
  return new RateLimiterPostgres({
    ...limits,
    storeClient: storeClientOf(database),
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    clearExpiredByTimeout: true,
    insuranceLimiter: inMemory,
    // Requests over the limit are refused from memory, without a query.
    inMemoryBlockOnConsumed: points + 1,
  });
}

function rateLimited(kind: RateLimitKind, milliseconds: number): AppError {
  const message = isOfDay(kind)
    ? "There were too many changes, uploads and downloads in a day. Try again later."
    : "There were too many requests. Wait a moment, then try again.";
  return new AppError("rate_limited", message, {
    ...(isOfDay(kind) && { logDetail: "the visitor's events of a day (RATE_LIMIT_EVENTS_PER_DAY)" }),
    retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)),
  });
}

const isOfDay = (kind: RateLimitKind) => kind === "events" || kind === "carried";

/** Counts are stored under a hash, so that no key or token is stored. */
function fingerprint(identity: string): string {
  return hash("sha256", identity, "base64url").slice(0, 22);
}
