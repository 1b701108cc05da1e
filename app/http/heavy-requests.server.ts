import type { Env } from "../env/env.server";
import { AppError } from "../shared/app-error";
import { randomPauseSeconds } from "../shared/retry";

/** Upper bound of Retry-After for refused heavy requests. Most of them take about as long. */
const MAX_RETRY_AFTER_SECONDS = 3;

/**
 * A limit for requests that take seconds and many calls of a provider. A rate per minute does not limit these well: what slows others down
 * is how many run at once. A request over a limit is refused at once, and does not wait. The counts are in this
 * process's memory, so that each replica has its own. One caller gets half of what the company has, so that nobody takes it all from the
 * company's other visitors. A company that has more running than places are free gets no further one, so that a few companies do not take all
 * places from the others.
 */
export class HeavyRequests {
  readonly #limits: Env["heavyRequests"];
  readonly #perCaller: number;
  readonly #what: string;
  readonly #settings: string | undefined;
  /** by company, and by company and caller */
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  /**
   * @param options.what the requests, for the log
   * @param options.perCaller how many a caller may have running; half of what the company may, unless given
   * @param options.settings what the variables of the limits begin with; null: these are no settings
   */
  constructor(
    limits: Env["heavyRequests"],
    {
      what = "searches and changes",
      perCaller = Math.ceil(limits.perCompany / 2),
      settings = "HEAVY_REQUESTS",
    }: { what?: string; perCaller?: number; settings?: string | null } = {},
  ) {
    this.#limits = limits;
    this.#what = what;
    this.#perCaller = perCaller;
    this.#settings = settings ?? undefined;
  }

  /**
   * @param caller whom the company's requests are counted by
   * @throws AppError `rate_limited` when the company or the caller has too many of them running, `unavailable` when the process has
   */
  async run<Result>(companyId: string, caller: string, work: () => Promise<Result>): Promise<Result> {
    const { perCompany, perProcess } = this.#limits;
    const ofCaller = JSON.stringify([companyId, caller]);
    if (this.#countOf(companyId) >= perCompany) throw this.#tooMany("company", perCompany);
    if (this.#countOf(ofCaller) >= this.#perCaller) throw this.#tooMany("caller", this.#perCaller);
    const free = perProcess - this.#running;
    if (free === 0 || this.#countOf(companyId) > free) {
      throw new AppError("unavailable", "The service is busy. Try again in a moment.", {
        logDetail:
          `This process has ${this.#running} of ${perProcess} ${this.#what} running, ${this.#countOf(companyId)} of them of this company` +
          `${this.#setting("PER_PROCESS")}. ` +
          "If this lasts, add replicas",
        retryAfterSeconds: randomPauseSeconds(1, MAX_RETRY_AFTER_SECONDS),
      });
    }
    const counted = [companyId, ofCaller];
    for (const one of counted) this.#runningOf.set(one, this.#countOf(one) + 1);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      for (const one of counted) {
        const left = this.#countOf(one) - 1;
        if (left > 0) this.#runningOf.set(one, left);
        else this.#runningOf.delete(one);
      }
    }
  }

  #countOf(one: string): number {
    return this.#runningOf.get(one) ?? 0;
  }

  #tooMany(whose: "company" | "caller", limit: number): AppError {
    return tooManyAtOnce(`the ${whose} has ${limit} ${this.#what} running${this.#setting("PER_COMPANY")}`);
  }

  #setting(name: string): string {
    return this.#settings === undefined ? "" : ` (${this.#settings}_${name})`;
  }
}

/** Somebody has too many requests at once. */
export function tooManyAtOnce(logDetail: string): AppError {
  const message = "There are too many requests at once. Wait a moment, then try again.";
  const retryAfterSeconds = randomPauseSeconds(1, MAX_RETRY_AFTER_SECONDS);
  return new AppError("rate_limited", message, { logDetail, retryAfterSeconds });
}
