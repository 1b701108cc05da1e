import { logWarning, writeLog } from "../log.server";

/** Differences below this are left alone: what a presigned URL tolerates, and a `Date` header's own precision. Milliseconds. */
const LEAST_DIFFERENCE = 60_000;
/** A correction in force is kept until the clocks agree this well, so that it does not come and go at the limit. Milliseconds. */
const AGREEMENT = 30_000;
/** A changed difference is worth a log line from here on. Milliseconds. */
const NEW_DIFFERENCE = 30_000;
/** A response that took longer says too little about the time. Milliseconds. */
const LONGEST_ROUND_TRIP = 20_000;
/** How long what was learned serves before the store is asked again, and how soon after it did not respond. Milliseconds. */
const REFRESH_AFTER = 5 * 60_000;
const ASK_AGAIN_AFTER = 10_000;
/** When this process's two clocks come apart by more, the wall clock was set, or the machine slept. Milliseconds. */
const CLOCK_STEP = 5_000;

/** One moment by both of a process's clocks, milliseconds. */
export interface Moment {
  wall: number;
  monotonic: number;
}

export const thisMoment = (): Moment => ({ wall: Date.now(), monotonic: performance.now() });

/** How far the clock behind a response's `Date` is ahead of ours, milliseconds; undefined where there is no such header. */
export function aheadOfUs(date: string | undefined, sent: Moment, received: Moment): number | undefined {
  const stamp = Date.parse(date ?? "");
  if (Number.isNaN(stamp)) return undefined;
  // The header has whole seconds, cut off: half a second is the best guess. The store wrote it half a round trip ago.
  return stamp + 500 + (received.monotonic - sent.monotonic) / 2 - received.wall;
}

/**
 * How far the store's clock is ahead of ours, learned from the `Date` of its responses. A store refuses a signature that is
 * 15 minutes off, and a presigned URL counts from the time that is written into it: so every signature takes the store's time
 * where the two differ by more than a minute.
 */
export class StoreClock {
  #offsetMs = 0;
  #measuredMs = 0;
  #learnedAt: Moment | null = null;
  #askNext = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;
  /** nothing is known, and nobody has tried to learn it yet */
  #isBlank = true;

  /**
   * @param ask makes the store respond to something, and hands its `Date` to `learn`; it must come to an end
   * @param now for tests
   */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly now: () => Moment = thisMoment,
  ) {}

  /** Milliseconds to add to our clock to get the store's; 0 while they differ by less than a minute. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** How far the store's clock was ahead of ours by its last response, milliseconds, to half a second. */
  get aheadMs(): number {
    return this.#measuredMs;
  }

  /**
   * To be awaited before a signature. The store is asked only where nothing is known, as in a process that has just started;
   * after that now and then, and nobody waits for it.
   */
  async ready(): Promise<void> {
    const now = this.now();
    if (this.#learnedAt !== null && this.#isStepped(now, this.#learnedAt)) {
      this.#learnedAt = null;
      this.#isBlank = true;
      this.#askNext = now.monotonic;
    }
    if (now.monotonic >= this.#askNext) {
      this.#askNext = now.monotonic + ASK_AGAIN_AFTER;
      this.#asking = this.ask().then(
        () => this.#endAsking(),
        () => this.#endAsking(),
      );
    }
    if (this.#isBlank && this.#asking !== null) await this.#asking;
  }

  #endAsking(): void {
    this.#asking = null;
    this.#isBlank = false;
  }

  /** Takes note of the `Date` header of a response; `sent` and `received` are when we asked and when it came. */
  learn(date: string | undefined, sent: Moment, received: Moment): void {
    const measured = aheadOfUs(date, sent, received);
    if (measured === undefined || received.monotonic - sent.monotonic > LONGEST_ROUND_TRIP) return;
    this.#learnedAt = received;
    this.#measuredMs = measured;
    this.#isBlank = false;
    this.#askNext = received.monotonic + REFRESH_AFTER;
    const differs = Math.abs(measured) >= (this.#offsetMs === 0 ? LEAST_DIFFERENCE : AGREEMENT);
    const before = this.#offsetMs;
    if (!differs) this.#offsetMs = 0;
    else if (before === 0 || Math.abs(measured - before) > NEW_DIFFERENCE)
      this.#offsetMs = Math.round(measured);
    if (this.#offsetMs !== before) report(this.#offsetMs);
  }

  #isStepped(now: Moment, since: Moment): boolean {
    return Math.abs(now.wall - since.wall - (now.monotonic - since.monotonic)) > CLOCK_STEP;
  }
}

function report(offsetMs: number): void {
  if (offsetMs === 0) {
    const message = "This server's clock and the object store's agree again.";
    writeLog("info", { message }, () => message);
    return;
  }
  const seconds = Math.round(Math.abs(offsetMs) / 1000);
  logWarning(
    `This server's clock is ${seconds} seconds ${offsetMs > 0 ? "behind" : "ahead of"} the object store's. Signatures take the store's ` +
      "time meanwhile. Synchronize this server's clock (NTP); if it is right, the store's.",
  );
}
