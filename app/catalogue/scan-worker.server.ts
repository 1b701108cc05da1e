import { BackgroundWorker } from "../shared/background-worker.server";
import { logError } from "../shared/log.server";
import type { Catalogue } from "./catalogues.server";
import { PausedBuckets } from "./paused-buckets";
import { findDueCatalogues } from "./scan.sql.server";
import { type ScanTools, scanCatalogue } from "./scan-catalogue.server";

/** So much of a bucket's requests is left to others. A million objects take two minutes. */
const MAX_REQUESTS_PER_SECOND = 10;
/** Buckets that are scanned at once. */
const MAX_SCANS = 2;
/** Then a store that cannot be reached leaves the place to another bucket. A scan goes on later where it stands. */
const STORE_RETRIES = 3;
/** A scan is given up as soon as its request to the store has ended, milliseconds. */
const MAX_STOP_MS = 5_000;
/** After a scan has failed, this process leaves its bucket alone for so long, milliseconds. */
const PAUSE_MS = 300_000;

/**
 * Scans the buckets that have a catalogue again and again, two at once, so that no catalogue gets too old and a large bucket holds up no small
 * one. A scan of which a killed process has left a part is gone on with.
 */
export class ScanWorker extends BackgroundWorker<Catalogue> {
  protected override readonly maxRunning = MAX_SCANS;
  protected override readonly maxStopMs = MAX_STOP_MS;
  protected override readonly messages = {
    failing: "The scans of buckets cannot begin. They wait for the database.",
    recovered: "The scans of buckets go on.",
    unrecorded: "The scan of a bucket has failed.",
  };
  readonly #stop = new AbortController();
  readonly #paused = new PausedBuckets(PAUSE_MS);

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

  protected override async claim(free: number, running: readonly Catalogue[]): Promise<Catalogue[]> {
    const limits = { minAgeSeconds: this.maxLagSeconds / 2, limit: free };
    const except = [...this.#paused.names(), ...running.map(({ bucket }) => bucket)];
    const due = await findDueCatalogues(this.tools.database, limits, except);
    if (due.length === 0) return [];
    const found = await this.tools.database.catalogue.findMany({ where: { bucket: { in: due } } });
    return found.sort((a, b) => due.indexOf(a.bucket) - due.indexOf(b.bucket));
  }

  protected override async attempt(catalogue: Catalogue): Promise<void> {
    const { bucket } = catalogue;
    try {
      await scanCatalogue(this.tools, catalogue, {
        signal: this.#stop.signal,
        ranges: 1,
        maxRequestsPerSecond: MAX_REQUESTS_PER_SECOND,
        storeRetries: STORE_RETRIES,
      });
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      this.#paused.add(bucket);
      logError(`The bucket ${bucket} cannot be scanned. Its catalogue gets older.`, { thrown });
    }
  }
}
