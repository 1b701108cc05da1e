import { Semaphore } from "../../shared/semaphore.js";

/** Concurrent requests, at first and at most: browsers open six connections to a host. */
const FIRST_LIMIT = 3;
export const MAX_CONCURRENT_REQUESTS = 6;
/** A higher limit is kept if the rate grows by at least this factor. */
const MIN_GAIN = 1.1;
/** A rate is measured over at least this time, and over as many requests as the limit is. */
const MIN_MEASURE_MS = 1_000;
/** After a higher limit did not help, none is tried for this time. */
const RETRY_GROWTH_AFTER_MS = 30_000;

/**
 * Limits how many requests send bytes at once. The limit grows while that makes the whole faster, and is halved when the store or the
 * network has trouble, as in TCP's congestion control.
 */
export class UploadConcurrency extends Semaphore {
  #bytes = 0;
  #count = 0;
  #since: number;
  /** the lower limit and its rate, bytes per millisecond */
  #before: { limit: number; rate: number } | null = null;
  #unchangedUntil = Number.NEGATIVE_INFINITY;
  /** until the first trouble, the limit is doubled instead of raised by one */
  #isFirst = true;

  constructor(private readonly now: () => number) {
    super(FIRST_LIMIT);
    this.#since = now();
  }

  /** Also decides whether to change the limit. */
  onSuccess(bytes: number): void {
    this.#bytes += bytes;
    this.#count++;
    const duration = this.now() - this.#since;
    if (this.#count < this.limit || duration < MIN_MEASURE_MS) return;
    const rate = this.#bytes / duration;
    this.#restart();
    if (this.#before !== null && rate < this.#before.rate * MIN_GAIN) {
      // The last step did not help: undo it.
      this.limit = this.#before.limit;
      this.#before = null;
      this.#unchangedUntil = this.now() + RETRY_GROWTH_AFTER_MS;
    } else if (this.limit < MAX_CONCURRENT_REQUESTS && this.now() >= this.#unchangedUntil) {
      this.#before = { limit: this.limit, rate };
      this.limit = Math.min(this.#isFirst ? this.limit * 2 : this.limit + 1, MAX_CONCURRENT_REQUESTS);
    } else {
      this.#before = null;
    }
  }

  /** Call this when the store asks for fewer requests, or when a connection stalls. Halves the limit. */
  onCongestion(): void {
    // Requests that fail together count once.
    if (!this.#isFirst && this.now() - this.#since < MIN_MEASURE_MS) return;
    this.limit = Math.max(1, Math.floor(this.limit / 2));
    this.#isFirst = false;
    this.#before = null;
    this.#restart();
  }

  #restart(): void {
    this.#bytes = 0;
    this.#count = 0;
    this.#since = this.now();
  }
}
