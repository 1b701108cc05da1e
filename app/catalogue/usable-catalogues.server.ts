import type { Database } from "../providers/database.server";
import { logError } from "../shared/log.server";
import { findCompleteCatalogues } from "./catalogues.server";

/** Milliseconds. A catalogue that was added, scanned or removed is noticed so much later. */
const MAX_AGE_MS = 5_000;

/** A catalogue that may answer in place of the store. */
export interface UsableCatalogue {
  id: number;
  bucket: string;
  /**
   * What had happened until then is in the catalogue, and so is what this service has done since, except while very many changes wait. What others
   * have done since may be in it.
   */
  asOf: Date;
}

/**
 * The catalogues that are complete and new enough to answer. Reads no table unless CATALOGUE_MAX_LAG_SECONDS is set. While the database is
 * away there are none: the store is listed.
 */
export class UsableCatalogues {
  readonly #database: Pick<Database, "catalogue">;
  readonly #maxLagSeconds: number | undefined;
  readonly #clock: { now(): number };
  #read: { at: number; byBucket: Promise<ReadonlyMap<string, UsableCatalogue>> } | undefined;

  /**
   * @param maxLagSeconds undefined: nobody uses catalogues
   * @param clock milliseconds since 1970
   */
  constructor(
    database: Pick<Database, "catalogue">,
    maxLagSeconds: number | undefined,
    clock: { now(): number } = Date,
  ) {
    this.#database = database;
    this.#maxLagSeconds = maxLagSeconds;
    this.#clock = clock;
  }

  /** The catalogue of a bucket; undefined if the store has to be listed. Never rejects. */
  async find(bucket: string): Promise<UsableCatalogue | undefined> {
    if (this.#maxLagSeconds === undefined) return undefined;
    const now = this.#clock.now();
    if (this.#read === undefined || now - this.#read.at >= MAX_AGE_MS)
      this.#read = { at: now, byBucket: this.#readAll() };
    const found = (await this.#read.byBucket).get(bucket);
    return found !== undefined && now - found.asOf.getTime() <= this.#maxLagSeconds * 1_000
      ? found
      : undefined;
  }

  async #readAll(): Promise<ReadonlyMap<string, UsableCatalogue>> {
    try {
      const complete = await findCompleteCatalogues(this.#database);
      return new Map(complete.map(({ id, bucket, scannedAt }) => [bucket, { id, bucket, asOf: scannedAt }]));
    } catch (thrown) {
      logError("The catalogues cannot be read. The store is listed instead.", { thrown });
      return new Map();
    }
  }
}
