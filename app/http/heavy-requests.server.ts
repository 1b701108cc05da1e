import type { Env } from "../env/env.server";
import { AppError } from "../shared/app-error";
import { randomPauseSeconds } from "../shared/retry";

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
