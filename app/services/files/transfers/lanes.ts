import { Semaphore } from "./semaphore";

/** Requests that send at once, to begin with and at most: browsers make six connections to a host. RFC 9112, section 9.4. */
const FIRST = 3;
export const MOST_LANES = 6;
/** One that brings less than this is not worth a further lane. */
const WORTHWHILE = 1.1;
/** A rate is measured over as many requests as there are lanes, and over this long, milliseconds. */
const SHORTEST_MEASURE = 1_000;
/** How long one number of lanes is kept once more brought nothing, and how long after trouble, milliseconds. */
const KEEP = 30_000;

/**
 * How many requests send bytes at once. More while each further one makes the whole faster, half after the store or the network shows
 * trouble: as TCP finds its rate.
 */
export class Lanes extends Semaphore {
  #bytes = 0;
  #count = 0;
  #since: number;
  /** the rate with fewer lanes, bytes per millisecond */
  #before: { lanes: number; rate: number } | null = null;
  #keepUntil = Number.NEGATIVE_INFINITY;
  /** until the first trouble the number is doubled rather than raised by one */
  #isFirst = true;

  constructor(private readonly now: () => number = () => performance.now()) {
    super(FIRST);
    this.#since = now();
  }

  /** A request that sent so many bytes has ended well. */
  arrived(bytes: number): void {
    this.#bytes += bytes;
    this.#count++;
    const duration = this.now() - this.#since;
    if (this.#count < this.limit || duration < SHORTEST_MEASURE) return;
    const rate = this.#bytes / duration;
    this.#restart();
    if (this.#before !== null && rate < this.#before.rate * WORTHWHILE) {
      // The last step brought nothing: it is taken back, and tried again later.
      this.limit = this.#before.lanes;
      this.#before = null;
      this.#keepUntil = this.now() + KEEP;
    } else if (this.limit < MOST_LANES && this.now() >= this.#keepUntil) {
      this.#before = { lanes: this.limit, rate };
      this.limit = Math.min(this.#isFirst ? this.limit * 2 : this.limit + 1, MOST_LANES);
    } else {
      this.#before = null;
    }
  }

  /** The store asked for fewer requests, or a connection stood still. */
  trouble(): void {
    // What fails together counts once.
    if (!this.#isFirst && this.now() - this.#since < SHORTEST_MEASURE) return;
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
