/** Runs one piece of work at a time. The callers take turns, so whoever asks for much waits for the own work, and not the others. */
export class Turns {
  /** by caller, in the order in which it is their turn: what begins their work */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  /** @throws the reason of `signal`, if it is aborted before the work begins: it leaves the queue */
  async take<Result>(caller: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isBusy) await this.#wait(caller, signal);
    this.#isBusy = true;
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#beginNext();
    }
  }

  /** How much work of a caller waits. */
  waitingOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
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
    const [next] = this.#waiting;
    this.#isBusy = next !== undefined;
    if (next === undefined) return;
    const [caller, [begin, ...others]] = next;
    this.#waiting.delete(caller);
    // Behind all other callers.
    if (others.length > 0) this.#waiting.set(caller, others);
    begin?.();
  }
}
