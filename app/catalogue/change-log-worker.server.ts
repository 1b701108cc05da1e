import type { Database } from "../providers/database.server";
import { BackgroundWorker } from "../shared/background-worker.server";
import { deleteOldChanges } from "./change-log.sql.server";

/** How often old changes are looked for, milliseconds. */
const INTERVAL_MS = 60_000;
/** For one statement, milliseconds. */
const MAX_ATTEMPT_MS = 10_000;

/** Deletes what is too old from the log of changes, so that it does not grow until the next `npm run cleanup`. */
export class ChangeLogWorker extends BackgroundWorker<"old changes"> {
  protected override readonly maxRunning = 1;
  protected override readonly maxStopMs = MAX_ATTEMPT_MS;
  protected override readonly messages = {
    failing: "Old changes of the catalogues cannot be deleted. They wait for the database.",
    recovered: "Old changes of the catalogues are deleted again.",
    unrecorded: "Old changes of the catalogues could not be deleted. It is tried again.",
  };
  #waitsUntil = 0;

  constructor(private readonly database: Pick<Database, "$driverQuery">) {
    super();
  }

  protected override async claim(): Promise<"old changes"[]> {
    if (performance.now() < this.#waitsUntil) return [];
    this.#waitsUntil = performance.now() + INTERVAL_MS;
    return ["old changes"];
  }

  protected override async attempt(): Promise<void> {
    // There may be more of them: the next attempt begins at once.
    if (await deleteOldChanges(this.database)) this.#waitsUntil = 0;
  }
}
