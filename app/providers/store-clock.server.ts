import { logInfo, logWarning } from "../shared/log.server";

/** Smaller differences are ignored: presigned URLs tolerate them, and a `Date` header is not precise. */
const MIN_DIFFERENCE_MS = 60_000;
/** A correction ends when the difference falls below this, so that it does not switch on and off around the minimum. */
const MAX_AGREEING_DIFFERENCE_MS = 30_000;
/** The correction is updated, and logged, when the difference changes by more than this. */
const MAX_DRIFT_MS = 30_000;
/** Slower responses are too imprecise. */
const MAX_ROUND_TRIP_MS = 20_000;
/** When a known difference is measured again. */
const REFRESH_AFTER_MS = 5 * 60_000;
/** When the store is asked again after it did not respond. */
const RETRY_AFTER_MS = 10_000;
/** When the wall clock and the monotonic clock differ by more, the wall clock was set or the machine slept. */
const CLOCK_STEP_MS = 5_000;

/** A moment by both clocks of the process, milliseconds. */
export interface Moment {
  wall: number;
  monotonic: number;
}

export const thisMoment = (): Moment => ({ wall: Date.now(), monotonic: performance.now() });

/** The difference between a response's `Date` and our clock, milliseconds; undefined without such a header. */
export function aheadOfUs(date: string | undefined, sent: Moment, received: Moment): number | undefined {
  const stamp = Date.parse(date ?? "");
  if (Number.isNaN(stamp)) return undefined;
  // The header has whole seconds, rounded down, and was written about half a round trip ago.
  return stamp + 500 + (received.monotonic - sent.monotonic) / 2 - received.wall;
}

/**
 * Measures how far the store's clock is ahead of ours, by the `Date` of its responses. A store refuses signatures that
 * are 15 minutes off, and a presigned URL expires counting from the time in its signature. So signatures use the
 * store's time when the clocks differ by more than a minute.
 */
export class StoreClock {
  #offsetMs = 0;
  #measuredMs = 0;
  #learnedAt: Moment | null = null;
  #askNext = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  /** nothing has been measured, and no attempt has ended yet */
  #isBlank = true;

  /**
   * @param ask sends any request to the store and passes its `Date` to `learn`; must have a time limit
   * @param now for tests
   */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly now: () => Moment = thisMoment,
  ) {}

  /** Milliseconds to add to our clock; 0 while the clocks differ by less than a minute. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** How far the store's clock was ahead of ours in its last response, milliseconds; precise to half a second. */
  get aheadMs(): number {
    return this.#measuredMs;
  }

  /**
   * To be awaited before signing. Waits for the store only if nothing has been measured, as after the start of the process. Later
   * measurements happen in the background.
   */
  async ready(): Promise<void> {
    const now = this.now();
    if (this.#learnedAt !== null && this.#isStepped(now, this.#learnedAt)) {
      this.#learnedAt = null;
      this.#isBlank = true;
      this.#askNext = now.monotonic;
    }
    if (now.monotonic >= this.#askNext) {
      this.#askNext = now.monotonic + RETRY_AFTER_MS;
      this.#asking = this.ask()
        .catch(() => {})
        .then(() => {
          this.#asking = null;
          this.#isBlank = false;
        });
    }
    if (this.#isBlank && this.#asking !== null) await this.#asking;
  }

  /** @param date the header of a response */
  learn(date: string | undefined, sent: Moment, received: Moment): void {
    const measured = aheadOfUs(date, sent, received);
    if (measured === undefined || received.monotonic - sent.monotonic > MAX_ROUND_TRIP_MS) return;
    this.#learnedAt = received;
    this.#measuredMs = measured;
    this.#isBlank = false;
    this.#askNext = received.monotonic + REFRESH_AFTER_MS;
    const differs =
      Math.abs(measured) >= (this.#offsetMs === 0 ? MIN_DIFFERENCE_MS : MAX_AGREEING_DIFFERENCE_MS);
    const before = this.#offsetMs;
    if (!differs) this.#offsetMs = 0;
    else if (before === 0 || Math.abs(measured - before) > MAX_DRIFT_MS)
      this.#offsetMs = Math.round(measured);
    if (this.#offsetMs !== before) report(this.#offsetMs);
  }

  #isStepped(now: Moment, since: Moment): boolean {
    return Math.abs(now.wall - since.wall - (now.monotonic - since.monotonic)) > CLOCK_STEP_MS;
  }
}

function report(offsetMs: number): void {
  if (offsetMs === 0) {
    logInfo("This server's clock and the object store's agree again.");
    return;
  }
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  logWarning(
    `This server's clock is ${seconds} seconds ${offsetMs > 0 ? "behind" : "ahead of"} the object store's. Signatures use the store's ` +
      "time. Synchronize this server's clock (NTP), or the store's if this one is right.",
  );
}
