/**
 * An estimate of the server's clock: its time when it rendered the page, plus the time since by `performance.now()` or by `Date.now()`,
 * whichever is longer. The first stands still while a machine sleeps; the second jumps when the clock is changed. Taking the longer one can
 * only renew a token too early.
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
   * Restarts with the time at which the server issued a token, so that clock changes before it no longer count.
   * @param issuedAt unix seconds
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
