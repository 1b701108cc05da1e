interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Collects what is to be written or sent while the previous write is under way, and writes it together. One item alone is written at once.
 * A write that fails rejects its items. `Events.record` has a loop of its own, because its rows stay in memory when a write fails.
 * @param write returns a result for each item, in their order; its error is thrown to all of them
 * @param untilNext is waited for before each write. What is added meanwhile is written, too. It must not reject
 */
export class Batches<Item, Result> {
  readonly #waiting: Waiting<Item, Result>[] = [];
  #isWriting = false;

  constructor(
    private readonly write: (items: Item[]) => Promise<Result[]>,
    private readonly maxItems = 500,
    private readonly untilNext?: () => Promise<unknown>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Requests of this turn of the event loop share the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      if (this.untilNext !== undefined) await this.untilNext();
      const batch = this.#waiting.splice(0, this.maxItems);
      try {
        const results = await this.write(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}
