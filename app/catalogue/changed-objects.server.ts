import { Batches } from "../../embed-element/shared/batches";
import { eachOnce, type ObjectName } from "../providers/object-changes.server";
import { Turns } from "../shared/turns";
import { type ObserveTools, observeObjects } from "./observe-objects.server";
import { addWaitingKeys } from "./waiting-keys.sql.server";

/** Keys that one statement writes, and that the store is asked about before they are written into the catalogue. */
const MAX_BATCH_KEYS = 100;
/** Keys of a bucket that this process has still to ask about. Further ones are left to the worker. */
const MAX_KEYS_IN_MEMORY = 500;
/** Buckets whose stores are asked at once. */
const MAX_CONCURRENT_BUCKETS = 2;
/** For all requests of a batch to the store, milliseconds. Then the worker tries again. */
const MAX_BATCH_MS = 10_000;

/** What is to be asked about a bucket. */
interface BucketChanges {
  observing: Batches<ObjectName, undefined>;
  /** that are not asked about yet */
  keys: number;
}

/**
 * Tells the catalogues that objects have changed. What has changed is first written to the database: whoever is killed afterwards, or cannot
 * reach the store, leaves it to the worker. Buckets take turns, so a flood of changes in one, or a store that does not answer, holds up no other.
 */
export class ChangedObjects {
  readonly #tools: ObserveTools;
  readonly #turns = new Turns(MAX_CONCURRENT_BUCKETS, 1);
  readonly #byBucket = new Map<string, BucketChanges>();

  constructor(tools: ObserveTools) {
    this.#tools = tools;
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
        const changes = this.#changesOf(name.bucket);
        if (changes.keys >= MAX_KEYS_IN_MEMORY) continue;
        changes.keys += 1;
        observed.push(changes.observing.add(name));
      }
    }
    return { observed: Promise.allSettled(observed) };
  }

  #changesOf(bucket: string): BucketChanges {
    const known = this.#byBucket.get(bucket);
    if (known !== undefined) return known;
    const observing = new Batches<ObjectName, undefined>(async (names) => {
      try {
        await this.#turns.take(bucket, () => this.#observe(names));
        return [];
      } finally {
        changes.keys -= names.length;
        if (changes.keys === 0) this.#byBucket.delete(bucket);
      }
    }, MAX_BATCH_KEYS);
    const changes: BucketChanges = { observing, keys: 0 };
    this.#byBucket.set(bucket, changes);
    return changes;
  }

  #observe(names: ObjectName[]): Promise<void> {
    const deadline = performance.now() + MAX_BATCH_MS;
    return observeObjects(this.#tools, eachOnce(names), { deadline });
  }
}
