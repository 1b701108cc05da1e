import type { ObjectName } from "../providers/object-changes.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { type ObserveTools, observeObjects } from "./observe-objects.server";
import { PausedBuckets } from "./paused-buckets";
import { sweepEnded } from "./usage/quotas.sql.server";
import { claimWaitingKeys } from "./waiting-keys.sql.server";

/** Buckets whose stores are asked at once. */
const MAX_BUCKETS = 2;
/** Keys of one attempt. Their claim lasts much longer than it. */
const MAX_KEYS = 100;
/** For all requests of an attempt to the store, milliseconds. */
const MAX_ATTEMPT_MS = 10_000;
/** After the store could not be reached, its bucket is left alone for so long, milliseconds. */
const PAUSE_MS = 30_000;

/** How many times 100 reservations of quotas that have ended are read at a time. */
const MAX_SWEEPS = 10;
/** Between two rounds through all of them, milliseconds. */
const SWEEP_EVERY_MS = 60_000;

/** Keys of one bucket. */
interface DueKeys {
  bucket: string;
  names: ObjectName[];
  /** They are of reservations that have ended. */
  areSwept: boolean;
}

function byBucket(names: readonly ObjectName[], areSwept: boolean): DueKeys[] {
  const found = new Map<string, DueKeys>();
  for (const name of names) {
    const due = found.get(name.bucket) ?? { bucket: name.bucket, names: [], areSwept };
    due.names.push(name);
    found.set(name.bucket, due);
  }
  return [...found.values()];
}

/**
 * Asks the store about keys that have changed, of which the process that was told could not, or was killed. When it has time left, about uploads
 * whose room under a quota has ended, so that it can be forgotten. A store that is away puts off the keys of its bucket, and no others.
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
  #sweptTo = "0";
  #sweepFrom = 0;
  /** those of the last reservations that were read whose turn comes next */
  #swept: DueKeys[] = [];

  constructor(private readonly tools: ObserveTools) {
    super();
  }

  protected override async claim(free: number, running: readonly DueKeys[]): Promise<DueKeys[]> {
    const except = [...this.#paused.names(), ...running.map(({ bucket }) => bucket)];
    const limits = { buckets: free, keys: MAX_KEYS };
    const claimed = byBucket(await claimWaitingKeys(this.tools.database, limits, except), false);
    // One bucket at a time, so that waiting keys have the other turn.
    if (claimed.length === free || running.some(({ areSwept }) => areSwept)) return claimed;
    const swept = await this.#sweep([...except, ...claimed.map(({ bucket }) => bucket)]);
    return swept === undefined ? claimed : [...claimed, swept];
  }

  /** Keys of the next bucket. Those of the buckets that are left alone are found again by the next round. */
  async #sweep(except: readonly string[]): Promise<DueKeys | undefined> {
    const isFree = ({ bucket }: DueKeys) => !except.includes(bucket);
    this.#swept = this.#swept.filter(isFree);
    for (let sweeps = 0; this.#swept.length === 0 && sweeps < MAX_SWEEPS; sweeps++) {
      if (performance.now() < this.#sweepFrom) break;
      const { last, unknown } = await sweepEnded(this.tools.database, this.#sweptTo, MAX_KEYS);
      this.#sweptTo = last ?? "0";
      if (last === undefined) this.#sweepFrom = performance.now() + SWEEP_EVERY_MS;
      this.#swept = byBucket(unknown, true).filter(isFree);
    }
    return this.#swept.shift();
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
