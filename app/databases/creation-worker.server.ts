import { setTimeout as sleep } from "node:timers/promises";
import type { Env } from "../env/env.server";
import type { DataApi } from "../providers/data-api.server";
import { type Database, NOW } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { logError, logInfo } from "../shared/log.server";
import { CREATION_TIMEOUT_MS, createRecordedDatabase } from "./create-cluster-database.server";

/** Seconds between the end of an attempt and the next one. After the last attempt, the creation has failed. */
const RETRY_SECONDS = [5, 15, 60, 300, 900, 3_600, 21_600];
/** Added at random, as a share, so that what failed together does not return together. */
const JITTER = 0.2;
/** After this time, another process may repeat an attempt whose end is not recorded. Longer than an attempt can take. */
const LEASE_SECONDS = (2 * CREATION_TIMEOUT_MS) / 1000;
/** how often a process looks for due creations */
const POLL_MS = 1_000;
/** of one process */
const MAX_RUNNING = 4;
/** how long the end of a process waits for running attempts */
const MAX_STOP_MS = 10_000;

interface Claimed {
  resourceId: string;
  /** attempts before this one */
  attempts: number;
}

/** `$1`: how many more may run. First attempts come first, so that a cluster that does not respond holds up the others less. */
const CLAIM = `
  UPDATE database_creations SET attempts = attempts + 1, next_attempt_at = ${NOW} + make_interval(secs => ${LEASE_SECONDS})
  WHERE resource_id IN (
    SELECT resource_id FROM database_creations WHERE next_attempt_at <= ${NOW}
    ORDER BY attempts, next_attempt_at LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING resource_id AS "resourceId", attempts - 1 AS attempts`;
const POSTPONE = `UPDATE database_creations SET next_attempt_at = ${NOW} + make_interval(secs => $2) WHERE resource_id = $1`;

interface Tools {
  database: Database;
  dataApi: DataApi;
  clusters: Env["clusters"];
}

/**
 * Creates databases whose callers do not wait (`requestCreation`). Any number of processes may do this at once, and an attempt of a process
 * that was killed is repeated. docs/decisions/0126
 */
export class CreationWorker {
  readonly #tools: Tools;
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Creates whatever becomes due, until `stop`. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Begins no more attempts, and waits some seconds for those that are running. One that is cut off is repeated. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    const timer = new AbortController();
    const limit = sleep(MAX_STOP_MS, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#running), limit]);
    timer.abort();
  }

  async #run(): Promise<void> {
    let isFailing = false;
    while (!this.#stop.signal.aborted) {
      try {
        await this.#claim();
        if (isFailing) logInfo("Databases are created in the background again.");
        isFailing = false;
      } catch (thrown) {
        if (!isFailing) logError("Databases cannot be created in the background.", { thrown });
        isFailing = true;
      }
      await sleep(POLL_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  async #claim(): Promise<void> {
    const free = MAX_RUNNING - this.#running.size;
    if (free === 0) return;
    for (const claimed of await this.#tools.database.$driverQuery<Claimed>(CLAIM, [free])) {
      const attempt = this.#attempt(claimed)
        // It is made again when its lease ends.
        .catch((thrown: unknown) => logError("The end of a creation was not recorded.", { thrown }))
        .finally(() => this.#running.delete(attempt));
      this.#running.add(attempt);
    }
  }

  async #attempt({ resourceId, attempts }: Claimed): Promise<void> {
    const { database } = this.#tools;
    try {
      await createRecordedDatabase(resourceId, this.#tools);
      await database.databaseCreation.deleteMany({ where: { resourceId } });
    } catch (thrown) {
      const code = thrown instanceof AppError ? thrown.code : "internal";
      const pause = code === "unavailable" ? RETRY_SECONDS[attempts] : undefined;
      if (pause !== undefined) {
        if (attempts === 0)
          logError("A database is created in the background later than expected.", { thrown });
        await database.$driverQuery(POSTPONE, [resourceId, pause * (1 + JITTER * Math.random())]);
        return;
      }
      logError("A database was not created in the background.", { thrown });
      const failed = { error: code, nextAttemptAt: null };
      await database.databaseCreation.updateMany({ where: { resourceId }, data: failed });
    }
  }
}
