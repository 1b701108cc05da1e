import type { ObjectName } from "../providers/object-changes.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { type ObserveTools, observeObjects } from "./observe-objects.server";
import { claimWaitingKeys } from "./waiting-keys.sql.server";

/** Keys of one attempt. Their claim lasts much longer than it. */
const MAX_KEYS = 100;
/** For all requests of an attempt to the store, milliseconds. */
const MAX_ATTEMPT_MS = 10_000;
/** After the store could not be reached, milliseconds. */
const PAUSE_MS = 10_000;

/** Asks the store about changed keys whose process was killed, or could not reach the store. */
export class ObserveWorker extends BackgroundWorker<readonly ObjectName[]> {
  protected override readonly maxRunning = 1;
  protected override readonly maxStopMs = MAX_ATTEMPT_MS;
  protected override readonly messages = {
    failing: "Changes cannot be taken into the catalogues. They wait for the database.",
    recovered: "Changes are taken into the catalogues again.",
    unrecorded: "Changes could not be taken into the catalogues. It is tried again.",
  };
  #pausedUntil = 0;

  constructor(private readonly tools: ObserveTools) {
    super();
  }

  protected override async claim(): Promise<(readonly ObjectName[])[]> {
    if (performance.now() < this.#pausedUntil) return [];
    const names = await claimWaitingKeys(this.tools.database, MAX_KEYS);
    return names.length === 0 ? [] : [names];
  }

  protected override async attempt(names: readonly ObjectName[]): Promise<void> {
    try {
      await observeObjects(this.tools, names, { deadline: performance.now() + MAX_ATTEMPT_MS });
    } catch (error) {
      this.#pausedUntil = performance.now() + PAUSE_MS;
      throw error;
    }
  }
}
