import { setTimeout as sleep } from "node:timers/promises";
import { logError, logInfo } from "./log.server";
import { withinLimit } from "./within-limit";

/** how often an idle process looks for due items */
const POLL_MS = 1_000;
/** Between two claims, so that attempts that end at the same time are replaced by one claim. */
const MIN_CLAIM_INTERVAL_MS = 10;

/**
 * Works on the items of a table that become due. Any number of processes may do this at once: each claims an item for longer than an
 * attempt can take. If a process never records how its attempt ended, the item is due again when the claim ends.
 */
export abstract class BackgroundWorker<Item> {
  /** how many attempts may run at once in this process */
  protected abstract readonly maxRunning: number;
  /** how long `stop` waits for running attempts, milliseconds */
  protected abstract readonly maxStopMs: number;
  /** Sentences for the log: claims fail, they work again, and the end of an attempt was not recorded. */
  protected abstract readonly messages: { failing: string; recovered: string; unrecorded: string };
  readonly #running = new Map<Promise<void>, Item>();
  #isStopping = false;
  #wait = new AbortController();
  #loop: Promise<void> | undefined;

  /** Claims at most `free` due items. @param running those whose attempts are running in this process */
  protected abstract claim(free: number, running: readonly Item[]): Promise<Item[]>;

  /** Makes an attempt, and records how it ended. */
  protected abstract attempt(item: Item): Promise<void>;

  /** Works on whatever becomes due, until `stop`. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Begins no more attempts, and waits for those that are running. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wait.abort();
    await this.#loop;
    await withinLimit(this.maxStopMs, this.#attempts(), () => new Error("late")).catch(() => {});
  }

  /** Works on what is due now. @returns how many attempts were made */
  async runDue(): Promise<number> {
    const count = await this.#beginAttempts();
    await this.#attempts();
    return count;
  }

  async #run(): Promise<void> {
    let isFailing = false;
    while (!this.#isStopping) {
      this.#wait = new AbortController();
      try {
        await this.#beginAttempts();
        if (isFailing) logInfo(this.messages.recovered);
        isFailing = false;
      } catch (thrown) {
        if (!isFailing) logError(this.messages.failing, { thrown });
        isFailing = true;
      }
      // Until an attempt ends, or `stop`.
      await sleep(POLL_MS, undefined, { signal: this.#wait.signal }).catch(() => {});
      await sleep(MIN_CLAIM_INTERVAL_MS);
    }
  }

  async #beginAttempts(): Promise<number> {
    const free = this.maxRunning - this.#running.size;
    if (free === 0) return 0;
    const claimed = await this.claim(free, [...this.#running.values()]);
    for (const item of claimed) {
      const attempt = this.attempt(item)
        .catch((thrown: unknown) => logError(this.messages.unrecorded, { thrown }))
        .finally(() => {
          this.#running.delete(attempt);
          this.#wait.abort();
        });
      this.#running.set(attempt, item);
    }
    return claimed.length;
  }

  #attempts(): Promise<unknown> {
    return Promise.all(this.#running.keys());
  }
}
