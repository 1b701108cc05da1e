import type { ObjectName } from "../providers/object-changes.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { type ObserveTools, observeObjects } from "./observe-objects.server";
import { PausedBuckets } from "./paused-buckets";
import { claimWaitingKeys } from "./waiting-keys.sql.server";

/** Buckets whose stores are asked at once. */
const MAX_BUCKETS = 2;
/** Keys of one attempt. Their claim lasts much longer than it. */
const MAX_KEYS = 100;
/** For all requests of an attempt to the store, milliseconds. */
const MAX_ATTEMPT_MS = 10_000;
/** After the store could not be reached, its bucket is left alone for so long, milliseconds. */
const PAUSE_MS = 30_000;

/** Keys of one bucket. */
interface DueKeys {
  bucket: string;
  names: ObjectName[];
}

/**
 * Asks the store about keys that have changed, of which the process that was told could not, or was killed. A store that is away puts off the keys of
 * its bucket, and no others.
 */
export class ObserveWorker extends BackgroundWorker<DueKeys> {
  protected override readonly maxRunning = MAX_BUCKETS;
  protected override readonly maxStopMs = MAX_ATTEMPT_MS;
  protected override readonly messages = {
    failing: "Changes cannot be taken into the catalogues. They wait for the database.",
    recovered: "Changes are taken into the catalogues again.",
    unrecorded: "Changes could not be taken into the catalogues. It is tried again.",
  };
  readonly #paused = new PausedBuckets(PAUSE_MS);

  constructor(private readonly tools: ObserveTools) {
    super();
  }

  protected override async claim(free: number, running: readonly DueKeys[]): Promise<DueKeys[]> {
    const except = [...this.#paused.names(), ...running.map(({ bucket }) => bucket)];
    const limits = { buckets: free, keys: MAX_KEYS };
    const byBucket = new Map<string, DueKeys>();
    for (const name of await claimWaitingKeys(this.tools.database, limits, except)) {
      const due = byBucket.get(name.bucket) ?? { bucket: name.bucket, names: [] };
      due.names.push(name);
      byBucket.set(name.bucket, due);
    }
    return [...byBucket.values()];
  }

  protected override async attempt({ bucket, names }: DueKeys): Promise<void> {
    try {
      await observeObjects(this.tools, names, { deadline: performance.now() + MAX_ATTEMPT_MS });
    } catch (error) {
      this.#paused.add(bucket);
      throw error;
    }
  }
}
