/**
 * The server's clock as far as a browser can know it: what it was when the server rendered the page, plus what has passed since by
 * `performance.now()` or by `Date.now()`, whichever says more. The first ignores a changed clock but stands still while a
 * machine sleeps; the second is the reverse. Believing the longer one can only renew a token early.
 */
export class ServerClock {
  #server: number;
  #performance = requestStart();
  #date = Date.now();

  /** @param serverNow unix seconds */
  constructor(serverNow: number) {
    this.#server = serverNow;
  }

  /** Unix seconds. */
  now(): number {
    const passed = Math.max(performance.now() - this.#performance, Date.now() - this.#date);
    return this.#server + passed / 1000;
  }

  /**
   * Starts anew with a token that the server has just issued, so that a clock that jumped does not affect it: its time of issue
   * (unix seconds) corrects a `performance.now()` that stood still.
   */
  restart(issuedAt: number): void {
    const byPerformance = this.#server + (performance.now() - this.#performance) / 1000;
    this.#server = Math.max(byPerformance, issuedAt);
    this.#performance = performance.now();
    this.#date = Date.now();
  }
}

/** When this page was requested, on `performance.now()`'s clock: the server rendered it after that. */
function requestStart(): number {
  const [navigation] = performance.getEntriesByType?.("navigation") ?? [];
  return navigation && "requestStart" in navigation ? Number(navigation.requestStart) : performance.now();
}
