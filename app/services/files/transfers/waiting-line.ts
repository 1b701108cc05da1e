/** Those that wait for their turn, in the order in which they came, but for those that are let to the front. */
export class WaitingLine<Item> {
  #first = new Set<Item>();
  #rest = new Set<Item>();

  /** At the end; where it is, if it waits already. */
  add(item: Item): void {
    if (!this.#first.has(item)) this.#rest.add(item);
  }

  /** Behind those that were let to the front before. */
  addFirst(item: Item): void {
    this.#rest.delete(item);
    this.#first.add(item);
  }

  delete(item: Item): void {
    this.#first.delete(item);
    this.#rest.delete(item);
  }

  *[Symbol.iterator](): Generator<Item> {
    yield* this.#first;
    yield* this.#rest;
  }
}
