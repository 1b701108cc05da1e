import { Batches } from "../../embed-element/shared/batches";
import type { ObjectName } from "../providers/object-changes.server";
import { type ObserveTools, observeObjects } from "./observe-objects.server";
import { addWaitingKeys } from "./waiting-keys.sql.server";

/** Keys that one statement writes, and that the store is asked about before they are written into the catalogue. */
const MAX_BATCH_KEYS = 100;
/** Keys that this process has still to ask about. Further ones are left to the worker. */
const MAX_KEYS_IN_MEMORY = 2_000;
/** For all requests of a batch to the store, milliseconds. Then the worker tries again. */
const MAX_BATCH_MS = 10_000;

/**
 * Tells the catalogues that objects have changed. What has changed is first written to the database: whoever is killed afterwards, or cannot
 * reach the store, leaves it to the worker.
 */
export class ChangedObjects {
  readonly #tools: ObserveTools;
  readonly #observing: Batches<ObjectName, undefined>;
  #inMemory = 0;

  constructor(tools: ObserveTools) {
    this.#tools = tools;
    this.#observing = new Batches((names) => this.#observe(names), MAX_BATCH_KEYS);
  }

  /**
   * Writes that objects may have changed, and begins to ask the store about them, if their buckets have catalogues. To be called when the store
   * has made the changes.
   * @returns `observed` resolves when they are in the catalogues, or are left to the worker
   * @throws AppError `unavailable`
   */
  async note(names: readonly ObjectName[]): Promise<{ observed: Promise<unknown> }> {
    const given = eachOnce(names);
    const observed: Promise<undefined>[] = [];
    for (let first = 0; first < given.length; first += MAX_BATCH_KEYS) {
      const written = await addWaitingKeys(this.#tools.database, given.slice(first, first + MAX_BATCH_KEYS));
      for (const name of written) {
        if (this.#inMemory >= MAX_KEYS_IN_MEMORY) break;
        this.#inMemory += 1;
        observed.push(this.#observing.add(name));
      }
    }
    return { observed: Promise.allSettled(observed) };
  }

  async #observe(names: ObjectName[]): Promise<undefined[]> {
    try {
      const deadline = performance.now() + MAX_BATCH_MS;
      await observeObjects(this.#tools, eachOnce(names), { deadline });
      return [];
    } finally {
      this.#inMemory -= names.length;
    }
  }
}

const eachOnce = (names: readonly ObjectName[]): ObjectName[] => [
  ...new Map(names.map(({ bucket, key }) => [JSON.stringify([bucket, key]), { bucket, key }])).values(),
];
