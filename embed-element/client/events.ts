import { callListeners } from "./call-listeners.js";

type Listener<Data> = (data: Data) => void;

/** What has happened, as plain data, for whoever listens. */
export class Events<Types extends object> {
  #listeners: { [Type in keyof Types]?: Set<Listener<Types[Type]>> } = {};

  /** @returns a function that stops it */
  on = <Type extends keyof Types>(type: Type, listener: Listener<Types[Type]>): (() => void) => {
    const listeners: Set<Listener<Types[Type]>> = this.#listeners[type] ?? new Set();
    this.#listeners[type] = listeners;
    listeners.add(listener);
    return () => listeners.delete(listener);
  };

  emit<Type extends keyof Types>(type: Type, data: Types[Type]): void {
    callListeners(this.#listeners[type] ?? [], data);
  }
}
