/** Buckets that a process leaves alone for a while, because they have failed. */
export class PausedBuckets {
  /** by bucket, by `performance.now()` */
  readonly #until = new Map<string, number>();

  constructor(private readonly pauseMs: number) {}

  add(bucket: string): void {
    this.#until.set(bucket, performance.now() + this.pauseMs);
  }

  /** those that are still left alone */
  names(): string[] {
    for (const [bucket, until] of this.#until) if (performance.now() >= until) this.#until.delete(bucket);
    return [...this.#until.keys()];
  }
}
