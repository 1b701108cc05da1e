import { Semaphore } from "../../../shared/semaphore";

/** Concurrent requests, at first and at most: browsers open six connections to a host. */
const FIRST_LANES = 3;
export const MAX_LANES = 6;
/** A further lane is kept if the rate grows by at least this factor. */
const MIN_GAIN = 1.1;
/** A rate is measured over at least this time, and over as many requests as there are lanes. */
const MIN_MEASURE_MS = 1_000;
/** After a further lane did not help, no other is tried for this time. */
const KEEP_MS = 30_000;

/**
 * Limits how many requests send bytes at once. The limit grows while that makes the whole faster, and is halved when the store or the
 * network has trouble, as in TCP's congestion control.
 */
export class Lanes extends Semaphore {
  #bytes = 0;
  #count = 0;
  #since: number;
  /** the rate with fewer lanes, bytes per millisecond */
  #before: { lanes: number; rate: number } | null = null;
  #keepUntil = Number.NEGATIVE_INFINITY;
  /** until the first trouble, the limit is doubled instead of raised by one */
  #isFirst = true;

  constructor(private readonly now: () => number = () => performance.now()) {
    super(FIRST_LANES);
    this.#since = now();
  }

  /** Call it when a request has succeeded. */
  arrived(bytes: number): void {
    this.#bytes += bytes;
    this.#count++;
    const duration = this.now() - this.#since;
    if (this.#count < this.limit || duration < MIN_MEASURE_MS) return;
    const rate = this.#bytes / duration;
    this.#restart();
    if (this.#before !== null && rate < this.#before.rate * MIN_GAIN) {
      // The last step did not help: undo it.
      this.limit = this.#before.lanes;
      this.#before = null;
      this.#keepUntil = this.now() + KEEP_MS;
    } else if (this.limit < MAX_LANES && this.now() >= this.#keepUntil) {
      this.#before = { lanes: this.limit, rate };
      this.limit = Math.min(this.#isFirst ? this.limit * 2 : this.limit + 1, MAX_LANES);
    } else {
      this.#before = null;
    }
  }

  /** Call it when the store asks for fewer requests or a connection stalls. */
  trouble(): void {
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
