/** Grants up to `limit` permits at once; others wait in order. */
export class Semaphore {
  #limit: number;
  #held = 0;
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
    this.#admitWaiting();
  }

  /** Runs `work` with a permit. @throws what `work` throws; the signal's reason if it is aborted before the work begins */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Resolves with a function that releases the permit. Rejects with the signal's reason. */
  acquire(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== admit);
        reject(signal?.reason);
      };
      const admit = () => {
        signal?.removeEventListener("abort", giveUp);
        this.#held++;
        resolve(this.#releaseOnce());
      };
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.push(admit);
      this.#admitWaiting();
    });
  }

  #releaseOnce(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#held--;
      this.#admitWaiting();
    };
  }

  #admitWaiting(): void {
    while (this.#held < this.#limit && this.#waiting.length > 0) this.#waiting.shift()?.();
  }
}
