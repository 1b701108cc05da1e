/** Functions to call when something has happened, as `useSyncExternalStore` subscribes to a store. */
export class Listeners<Values extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...values: Values) => void>();

  /** @returns a function that removes the listener */
  readonly subscribe = (listener: (...values: Values) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  notify(...values: Values): void {
    for (const listener of this.#listeners) listener(...values);
  }
}
