import { hash } from "node:crypto";
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Env } from "../env/env.server";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { randomPauseSeconds } from "../shared/retry";

/** What a request is counted by: an API key or bearer token, an embed token, or its caller's IP address if it has neither. */
export type RateLimitKind = "key" | "token" | "address";

export interface RateLimits {
  /** Counts one request. @throws AppError `rate_limited` when there have been too many in a minute */
  count(kind: RateLimitKind, identity: string): Promise<void>;
}

const WINDOW_SECONDS = 60;

/**
 * Limits by `rate-limiter-flexible`. The counts are in this process's memory, so that each replica has its own, or in PostgreSQL, so that
 * all share them. While PostgreSQL cannot be reached, each replica counts for itself.
 */
export function createRateLimits(settings: Env["rateLimits"], database: Database): RateLimits {
  const { perKey, perToken, perAddress, store } = settings;
  const limiters = {
    key: createLimiter("key", perKey, store, database),
    token: createLimiter("token", perToken, store, database),
    address: createLimiter("address", perAddress, store, database),
  };
  return {
    async count(kind, identity) {
      const limiter = limiters[kind];
      if (limiter === undefined) return;
      try {
        await limiter.consume(fingerprint(identity));
      } catch (refused) {
        if (refused instanceof RateLimiterRes) throw rateLimited(refused.msBeforeNext);
        throw refused;
      }
    },
  };
}

function createLimiter(
  kind: RateLimitKind,
  perMinute: number,
  store: Env["rateLimits"]["store"],
  database: Database,
): RateLimiterMemory | RateLimiterPostgres | undefined {
  if (perMinute === 0) return undefined;
  const limits = { keyPrefix: kind, points: perMinute, duration: WINDOW_SECONDS };
  const inMemory = new RateLimiterMemory(limits);
  if (store === "memory") return inMemory;
  return new RateLimiterPostgres({
    ...limits,
    storeClient: {
      // Without the statement's name, because poolers in transaction mode have no prepared statements.
      query: async ({ text, values }: { text: string; values: unknown[] }) => ({
        rows: await database.$driverQuery(text, values),
      }),
    },
    storeType: "pool",
    tableName: "rate_limits",
    tableCreated: true,
    clearExpiredByTimeout: true,
    insuranceLimiter: inMemory,
    // Requests over the limit are refused from memory, without a query.
    inMemoryBlockOnConsumed: perMinute + 1,
  });
}

function rateLimited(milliseconds: number): AppError {
  return new AppError("rate_limited", "There were too many requests. Wait a moment, then try again.", {
    retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1000)),
  });
}

/** Counts are stored under a hash, so that no key or token is stored. */
function fingerprint(identity: string): string {
  return hash("sha256", identity, "base64url").slice(0, 22);
}

/** Upper bound of Retry-After for refused heavy requests. Most of them take about as long. */
const MAX_RETRY_AFTER_SECONDS = 3;

/**
 * A limit for requests that take seconds and many calls of a provider. A rate per minute does not limit these well: what slows others down
 * is how many run at once. A request over a limit is refused at once, and does not wait. The counts are in this
 * process's memory, so that each replica has its own.
 */
export class HeavyRequests {
  readonly #limits: Env["heavyRequests"];
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(limits: Env["heavyRequests"]) {
    this.#limits = limits;
  }

  /** @throws AppError `rate_limited` when the company has too many of them running, `unavailable` when the process has */
  async run<Result>(companyId: string, work: () => Promise<Result>): Promise<Result> {
    const { perCompany, perProcess } = this.#limits;
    const runningOf = this.#runningOf.get(companyId) ?? 0;
    if (runningOf >= perCompany) {
      const message = "There are too many requests at once. Wait a moment, then try again.";
      throw new AppError("rate_limited", message, {
        logDetail: `the company has ${perCompany} searches and changes running (HEAVY_REQUESTS_PER_COMPANY)`,
        retryAfterSeconds: randomPauseSeconds(1, MAX_RETRY_AFTER_SECONDS),
      });
    }
    if (this.#running >= perProcess) {
      throw new AppError("unavailable", "The service is busy. Try again in a moment.", {
        logDetail:
          `This process has ${perProcess} searches and changes running (HEAVY_REQUESTS_PER_PROCESS). ` +
          "If this lasts, add replicas",
        retryAfterSeconds: randomPauseSeconds(1, MAX_RETRY_AFTER_SECONDS),
      });
    }
    this.#runningOf.set(companyId, runningOf + 1);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      const left = (this.#runningOf.get(companyId) ?? 1) - 1;
      if (left > 0) this.#runningOf.set(companyId, left);
      else this.#runningOf.delete(companyId);
    }
  }
}
