import { AppError } from "../app-error";

/** Searches and changes that one embed token may have running in one process; a page has two at most. */
const MOST_AT_ONCE = 8;

/**
 * Work that takes seconds and many calls of a provider. How many such requests one caller begins in a minute says little: those that run at
 * once are what keeps others from being served.
 */
export class HeavyWork {
  readonly #running = new Map<string, number>();

  /** @throws AppError `rate_limited` when `identity` has too much of it running */
  async run<Result>(identity: string, work: () => Promise<Result> | Result): Promise<Result> {
    const running = this.#running.get(identity) ?? 0;
    if (running >= MOST_AT_ONCE) {
      const message = "There are too many requests at once. Wait a moment, then try again.";
      throw new AppError("rate_limited", message, { retryAfterSeconds: 2 });
    }
    this.#running.set(identity, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(identity) ?? 1) - 1;
      if (left > 0) this.#running.set(identity, left);
      else this.#running.delete(identity);
    }
  }
}
