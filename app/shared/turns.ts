/** Limits how much work runs at once. The callers take turns, so whoever asks for much waits for the own work, and not the others. */
export class Turns {
  readonly #places: number;
  readonly #perCaller: number;
  /** by caller, in the order in which it is their turn: what begins their work */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** by caller: how much of their work runs */
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  /** @param places how much work runs at once, and of one caller @param perCaller at most */
  constructor(places = 1, perCaller = places) {
    this.#places = places;
    this.#perCaller = perCaller;
  }

  /** @throws the reason of `signal`, if it is aborted before the work begins: it leaves the queue */
  async take<Result>(caller: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#mayBegin(caller)) this.#count(caller, 1);
    else await this.#wait(caller, signal);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#count(caller, -1);
      this.#beginNext();
    }
  }

  /** How much work of a caller waits. */
  waitingOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  #mayBegin(caller: string): boolean {
    return this.#running < this.#places && (this.#runningOf.get(caller) ?? 0) < this.#perCaller;
  }

  #count(caller: string, change: 1 | -1): void {
    const running = (this.#runningOf.get(caller) ?? 0) + change;
    if (running > 0) this.#runningOf.set(caller, running);
    else this.#runningOf.delete(caller);
    this.#running += change;
  }

  #wait(caller: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        const others = (this.#waiting.get(caller) ?? []).filter((one) => one !== begin);
        if (others.length > 0) this.#waiting.set(caller, others);
        else this.#waiting.delete(caller);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.set(caller, [...(this.#waiting.get(caller) ?? []), begin]);
    });
  }

  #beginNext(): void {
    const next = [...this.#waiting].find(([caller]) => this.#mayBegin(caller));
    if (next === undefined) return;
    const [caller, [begin, ...others]] = next;
    this.#waiting.delete(caller);
    // Behind all other callers.
    if (others.length > 0) this.#waiting.set(caller, others);
    // Before its work begins, so that nobody takes the place meanwhile.
    this.#count(caller, 1);
    begin?.();
  }
}
