import type { Env } from "../env/env.server";
import type { Database } from "../providers/database.server";
import type { DataApi } from "../providers/rds-data-api.server";
import { AppError } from "../shared/app-error";
import { BackgroundWorker } from "../shared/background-worker.server";
import { logError } from "../shared/log.server";
import { randomBetween } from "../shared/retry";
import { CREATION_TIMEOUT_MS, runRequestedCreation } from "./create-database.server";
import { type Creation, claimCreations, postponeCreation } from "./databases.sql.server";

/** Seconds between the end of an attempt and the next one. After the last attempt, the creation has failed. */
const RETRY_SECONDS = [5, 15, 60, 300, 900, 3_600, 21_600];
/** How long a process has a creation for itself. Longer than an attempt can take. */
const CLAIM_SECONDS = (2 * CREATION_TIMEOUT_MS) / 1000;

interface Tools {
  database: Database;
  dataApi: DataApi;
  clusters: Env["clusters"];
}

/** Creates databases whose callers do not wait (`requestCreation`). app/databases/README.md */
export class CreationWorker extends BackgroundWorker<Creation> {
  protected override readonly maxRunning = 4;
  protected override readonly maxStopMs = 10_000;
  protected override readonly messages = {
    failing: "Databases cannot be created in the background.",
    recovered: "Databases are created in the background again.",
    unrecorded: "The end of a creation was not recorded.",
  };

  constructor(private readonly tools: Tools) {
    super();
  }

  protected override claim(free: number): Promise<Creation[]> {
    return claimCreations(this.tools.database, free, CLAIM_SECONDS);
  }

  protected override async attempt({ resourceId, attempts }: Creation): Promise<void> {
    const { database } = this.tools;
    try {
      await runRequestedCreation(resourceId, this.tools);
      await database.databaseCreation.deleteMany({ where: { resourceId } });
    } catch (thrown) {
      const code = thrown instanceof AppError ? thrown.code : "internal";
      const pause = code === "unavailable" ? RETRY_SECONDS[attempts] : undefined;
      if (pause !== undefined) {
        if (attempts === 0)
          logError("A database is created in the background later than expected.", { thrown });
        // Up to a fifth more, so that what failed together does not return together.
        await postponeCreation(database, resourceId, randomBetween(pause, 1.2 * pause));
        return;
      }
      logError("A database was not created in the background.", { thrown });
      const failed = { error: code, nextAttemptAt: null };
      await database.databaseCreation.updateMany({ where: { resourceId }, data: failed });
    }
  }
}
