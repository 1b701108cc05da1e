/** Admits up to `limit` holders at once; others wait in order. */
export class Semaphore {
  #limit: number;
  #inside = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#letIn();
  }

  /** Resolves with a function that releases the place. Rejects with the signal's reason. */
  enter(signal = new AbortController().signal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== comeIn);
        reject(signal.reason);
      };
      const comeIn = () => {
        signal.removeEventListener("abort", giveUp);
        this.#inside++;
        resolve(this.#leave());
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(comeIn);
      this.#letIn();
    });
  }

  #leave(): () => void {
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside--;
      this.#letIn();
    };
  }

  #letIn(): void {
    while (this.#inside < this.#limit && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}
