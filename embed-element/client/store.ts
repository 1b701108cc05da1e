import { callListeners } from "./call-listeners.js";

/** State that is read by `getState` and heard by `subscribe`, as React's `useSyncExternalStore` takes it. */
export class Store<State> {
  #state: State;
  #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  /** The same value until something has changed. */
  getState = (): State => this.#state;

  /** Calls `listener` after each change. @returns a function that stops it */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  setState(state: State): void {
    if (state === this.#state) return;
    this.#state = state;
    callListeners(this.#listeners);
  }
}
