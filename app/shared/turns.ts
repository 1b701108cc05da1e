/** Runs one piece of work at a time. The callers take turns, so whoever asks for much waits for the own work, and not the others. */
export class Turns {
  /** by caller, in the order in which it is their turn: what begins their work */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  async take<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) {
      await new Promise<void>((begin) => {
        const queue = this.#waiting.get(caller);
        if (queue === undefined) this.#waiting.set(caller, [begin]);
        else queue.push(begin);
      });
    }
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#beginNext();
    }
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
