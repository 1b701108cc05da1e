/** Calls by key. While one is running, further ones with its key share its promise. */
export class SharedCalls<Key, Result> {
  readonly #calls = new Map<Key, Promise<Result>>();

  /** @param keepsResults whether a result is kept for all later calls; a failed call is always forgotten */
  constructor(private readonly keepsResults = false) {}

  /** How many are running; with `keepsResults` also those that have ended. */
  get size(): number {
    return this.#calls.size;
  }

  has(key: Key): boolean {
    return this.#calls.has(key);
  }

  get(key: Key, work: () => Promise<Result>): Promise<Result> {
    const earlier = this.#calls.get(key);
    if (earlier !== undefined) return earlier;
    const forget = () => this.#calls.delete(key);
    const call = work();
    this.#calls.set(key, call);
    call.then(this.keepsResults ? undefined : forget, forget);
    return call;
  }
}
