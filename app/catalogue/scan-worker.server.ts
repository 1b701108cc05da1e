import { BackgroundWorker } from "../shared/background-worker.server";
import { logError } from "../shared/log.server";
import type { Catalogue } from "./catalogues.server";
import { findDueCatalogue } from "./scan.sql.server";
import { type ScanTools, scanCatalogue } from "./scan-catalogue.server";

/** So much of a bucket's requests is left to others. A million objects take two minutes. */
const MAX_REQUESTS_PER_SECOND = 10;
/** A scan is given up as soon as its request to the store has ended, milliseconds. */
const MAX_STOP_MS = 5_000;
/** After a scan has failed, this process leaves its bucket alone for so long, milliseconds. */
const PAUSE_MS = 300_000;

/**
 * Scans the buckets that have a catalogue again and again, one after the other, so that no catalogue gets too old. A scan of which a killed
 * process has left a part is gone on with.
 */
export class ScanWorker extends BackgroundWorker<Catalogue> {
  protected override readonly maxRunning = 1;
  protected override readonly maxStopMs = MAX_STOP_MS;
  protected override readonly messages = {
    failing: "The scans of buckets cannot begin. They wait for the database.",
    recovered: "The scans of buckets go on.",
    unrecorded: "The scan of a bucket has failed.",
  };
  readonly #stop = new AbortController();
  /** by bucket, when it may be scanned again, by `performance.now()` */
  readonly #pausedUntil = new Map<string, number>();

  /** @param maxLagSeconds a catalogue is scanned when it has half this age, so that the scan may take as long */
  constructor(
    private readonly tools: ScanTools,
    private readonly maxLagSeconds: number,
  ) {
    super();
  }

  override async stop(): Promise<void> {
    this.#stop.abort();
    await super.stop();
  }

  protected override async claim(): Promise<Catalogue[]> {
    for (const [bucket, until] of this.#pausedUntil)
      if (performance.now() >= until) this.#pausedUntil.delete(bucket);
    const due = await findDueCatalogue(this.tools.database, this.maxLagSeconds / 2, [
      ...this.#pausedUntil.keys(),
    ]);
    const found = due && (await this.tools.database.catalogue.findUnique({ where: { bucket: due } }));
    return found ? [found] : [];
  }

  protected override async attempt(catalogue: Catalogue): Promise<void> {
    const { bucket } = catalogue;
    try {
      await scanCatalogue(this.tools, catalogue, {
        signal: this.#stop.signal,
        ranges: 1,
        maxRequestsPerSecond: MAX_REQUESTS_PER_SECOND,
      });
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      this.#pausedUntil.set(bucket, performance.now() + PAUSE_MS);
      logError(`The bucket ${bucket} cannot be scanned. Its catalogue gets older.`, { thrown });
    }
  }
}
