import { hash } from "node:crypto";
import { Batches } from "../../../embed-element/shared/batches";
import { type Database, inTransaction } from "../../providers/database.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { AppError } from "../../shared/app-error";
import { messageOf } from "../../shared/error-text";
import { logWarning } from "../../shared/log.server";
import { findCompleteCatalogues } from "../catalogues.server";
import { observeObjects } from "../observe-objects.server";
import { type Area, normalizeArea } from "./area";
import {
  type CatalogueArea,
  computeTotal,
  deleteSettled,
  endHolds,
  findUnsettled,
  holdLonger,
  insertReservations,
  lockBuckets,
  MAX_TOTAL_SECONDS,
  type NewReservation,
  readLastReservation,
  readReservations,
  readTotals,
  sumLaterReservations,
  type Total,
  writeTotal,
} from "./quotas.sql.server";

/** Seconds. An older total is computed anew before a decision, and one that refuses anyway. */
const NEW_ENOUGH_SECONDS = 10;
/** Keys of one area that the store is asked about before something is refused. */
const MAX_OBSERVED = 20;

/** How much some folders may hold together. */
export interface Quota {
  area: Area;
  maxBytes: number;
}

/** Bytes that are about to be stored at a key, in place of what it holds. */
export interface ReservationRequest {
  bucket: string;
  key: string;
  bytes: number;
  /** identifies what will store them. A repeated request for the same upload needs no further room */
  uploadId: string;
  /** seconds from now, after which nothing of it can arrive */
  heldSeconds: number;
  /** All of them must have room. All have the bucket and the key in their area. */
  quotas: readonly Quota[];
}

/** How many bytes a quota's area may hold at most, before and after a reservation. */
export interface QuotaUsage extends Quota {
  before: number;
  after: number;
}

/** There is no room. */
export class QuotaExceeded extends AppError {
  /** @param full the quotas that have none */
  constructor(readonly full: readonly QuotaUsage[]) {
    super("quota_exceeded", "There is no room for this: the limit of all files is reached.");
  }
}

/** A total that was just computed, with the sizes that some keys had at that moment. */
interface Computed {
  total: Total;
  sizes: ReadonlyMap<string, number>;
}

interface Asked extends ReservationRequest {
  /** of each quota, in their order; undefined: none was computed for this request */
  computed: readonly (Computed | undefined)[];
}

type Decision =
  | { outcome: "reserved"; filled: QuotaUsage[] }
  /** `full`: these need a new total, or have no room */
  | { outcome: "full"; full: QuotaUsage[] }
  | { outcome: "unknown"; bucket: string };

/**
 * Gives bytes to uploads before they are signed, so that together they never exceed a quota, over all processes. README.md
 */
export class Quotas {
  readonly #database: Pick<Database, "$driverQuery" | "$transaction" | "catalogue">;
  readonly #objectStore: Pick<ObjectStore, "listBelow">;
  readonly #decisions: Batches<Asked, Decision>;
  readonly #totals: Batches<{ area: Area; wanted?: ReservationRequest }, Computed | undefined>;
  readonly #ends: Batches<string, void>;

  constructor(
    database: Pick<Database, "$driverQuery" | "$transaction" | "catalogue">,
    objectStore: Pick<ObjectStore, "listBelow">,
  ) {
    this.#database = database;
    this.#objectStore = objectStore;
    this.#decisions = new Batches((asked) => this.#decide(asked));
    this.#totals = new Batches((asked) => this.#compute(asked));
    this.#ends = new Batches(async (ids) => {
      await endHolds(database, ids);
      return ids.map(() => undefined);
    });
  }

  /**
   * Reserves bytes, if each quota has room for them.
   * @returns how full the quotas are now
   * @throws AppError `quota_exceeded`, and nothing is reserved; `unavailable`, also if a bucket has no complete catalogue
   */
  async reserve(wanted: ReservationRequest): Promise<QuotaUsage[]> {
    const none = wanted.quotas.map(() => undefined);
    const first = await this.#decisions.add({ ...wanted, computed: none });
    if (first.outcome === "reserved") return first.filled;
    if (first.outcome === "unknown") throw noCatalogue(first.bucket);
    const computed = await Promise.all(
      wanted.quotas.map((quota) =>
        first.full.some(({ area }) => area === quota.area)
          ? this.#totals.add({ area: quota.area, wanted })
          : undefined,
      ),
    );
    const second = await this.#decisions.add({ ...wanted, computed });
    if (second.outcome === "reserved") return second.filled;
    if (second.outcome === "unknown") throw noCatalogue(second.bucket);
    throw new QuotaExceeded(second.full);
  }

  /**
   * Nothing more of the upload can arrive. If nothing has arrived, its room is free as soon as the catalogue knows the key. Never rejects: then the
   * room is held to its end.
   */
  async end(uploadId: string): Promise<void> {
    await this.#ends.add(uploadId).catch(logLater);
  }

  /**
   * The bytes that an area holds, with those that are reserved.
   * @param maxAgeSeconds how old a total may be that is used in place of a new one. What has been reserved since is added to it
   * @returns undefined without complete catalogues
   * @throws AppError `unavailable`
   */
  async measure(area: Area, maxAgeSeconds = 0): Promise<number | undefined> {
    const kept = maxAgeSeconds > 0 ? await this.#readKept(area, maxAgeSeconds) : undefined;
    if (kept !== undefined) return kept;
    const computed = await this.#totals.add({ area });
    return computed?.total.expectedBytes;
  }

  /** The bytes by a total that is not too old; undefined if there is none. */
  async #readKept(area: Area, maxAgeSeconds: number): Promise<number | undefined> {
    const { buckets } = normalizeArea(area);
    const complete = await findCompleteCatalogues(this.#database, buckets);
    if (complete.length < buckets.length) return undefined;
    const areas = new Areas(new Map(complete.map(({ bucket, id }) => [bucket, id])));
    areas.add(area);
    const [total] = await readTotals(this.#database, areas.hashes);
    if (total === undefined || total.ageSeconds > maxAgeSeconds) return undefined;
    const { lastReservation, expectedBytes } = total;
    const later = await sumLaterReservations(this.#database, [{ ...areas.of(area), lastReservation }]);
    return expectedBytes + (later.get(0) ?? 0);
  }

  async #decide(asked: Asked[]): Promise<Decision[]> {
    const buckets = bucketsOf(asked.flatMap(({ quotas }) => quotas.map(({ area }) => area)));
    return this.#database.$transaction(async (transaction) => {
      const run = inTransaction(transaction);
      await lockBuckets(run, buckets);
      const idOf = new Map(
        (await findCompleteCatalogues(transaction, buckets)).map(({ bucket, id }) => [bucket, id]),
      );
      const areas = new Areas(idOf);
      for (const { quotas } of asked) for (const { area } of quotas) areas.add(area);
      const stored = new Map(
        (await readTotals(run, areas.hashes)).map(({ ageSeconds, ...total }) => [
          total.areaHash,
          { total, ageSeconds },
        ]),
      );
      /** the newest total of each area, if it is new enough */
      const totals = new Map<string, Total>();
      for (const hash of areas.hashes) {
        const known = stored.get(hash);
        const own = asked.flatMap(({ computed }) =>
          computed.flatMap((one) => (one?.total.areaHash === hash ? one.total : [])),
        );
        // Those that were computed just now are in the table as well, unless it has a newer one: so its age is theirs at most.
        const isUsable =
          known !== undefined &&
          known.ageSeconds <= (own.length > 0 ? MAX_TOTAL_SECONDS : NEW_ENOUGH_SECONDS);
        if (isUsable) totals.set(hash, known.total);
      }
      const counted = areas.all.flatMap((area) => {
        const total = totals.get(area.hash);
        return total === undefined ? [] : { ...area, lastReservation: total.lastReservation };
      });
      const later = await sumLaterReservations(run, counted);
      /** bytes of each area, at most */
      const filled = new Map(
        counted.map(({ hash }, index) => [
          hash,
          (totals.get(hash)?.expectedBytes ?? 0) + (later.get(index) ?? 0),
        ]),
      );
      const keys = asked.flatMap(({ bucket, key }) => {
        const catalogueId = idOf.get(bucket);
        return catalogueId === undefined ? [] : { catalogueId, key };
      });
      /** the most that is reserved for each key */
      const reserved = new Map<string, number>();
      const uploads = new Map<string, number>();
      for (const { catalogueId, key, uploadId, bytes } of await readReservations(run, keys)) {
        const name = nameOf(catalogueId, key);
        reserved.set(name, Math.max(bytes, reserved.get(name) ?? 0));
        uploads.set(`${uploadId} ${name}`, Math.max(bytes, uploads.get(`${uploadId} ${name}`) ?? 0));
      }
      const made: NewReservation[] = [];
      const repeated: NewReservation[] = [];
      const decisions = asked.map((wanted): Decision => {
        const missing = bucketsOf(wanted.quotas.map(({ area }) => area)).find((bucket) => !idOf.has(bucket));
        const catalogueId = idOf.get(wanted.bucket);
        if (missing !== undefined || catalogueId === undefined)
          return { outcome: "unknown", bucket: missing ?? wanted.bucket };
        const { key, bytes, uploadId, heldSeconds } = wanted;
        const name = nameOf(catalogueId, key);
        const reservation = { catalogueId, key, bytes, uploadId, heldSeconds };
        if ((uploads.get(`${uploadId} ${name}`) ?? -1) >= bytes) {
          repeated.push(reservation);
          return { outcome: "reserved", filled: [] };
        }
        const results = wanted.quotas.map((quota, index) => {
          const { hash } = areas.of(quota.area);
          const before = filled.get(hash);
          const own = wanted.computed[index];
          // The size of what is replaced is known for the moment of the total that was computed for this request, and for no other.
          const isOwn = own !== undefined && own.total.computedAt === totals.get(hash)?.computedAt;
          const size = isOwn ? (own.sizes.get(name) ?? 0) : 0;
          const more = Math.max(0, bytes - Math.max(size, reserved.get(name) ?? 0));
          return { quota, hash, before, more };
        });
        const full = results.filter(
          ({ quota, before, more }) => before === undefined || before + more > quota.maxBytes,
        );
        if (full.length > 0)
          return {
            outcome: "full",
            full: full.map(({ quota, before = 0 }) => ({ ...quota, before, after: before })),
          };
        for (const { hash, more } of new Map(results.map((result) => [result.hash, result])).values())
          filled.set(hash, (filled.get(hash) ?? 0) + more);
        reserved.set(name, Math.max(bytes, reserved.get(name) ?? 0));
        uploads.set(`${uploadId} ${name}`, bytes);
        made.push(reservation);
        return {
          outcome: "reserved",
          filled: results.map(({ quota, before = 0, more }) => ({ ...quota, before, after: before + more })),
        };
      });
      await insertReservations(run, made);
      await holdLonger(run, repeated);
      return decisions;
    });
  }

  /** Computes the total of each area once, for all that have asked meanwhile. */
  async #compute(asked: { area: Area; wanted?: ReservationRequest }[]): Promise<(Computed | undefined)[]> {
    const buckets = bucketsOf(asked.map(({ area }) => area));
    const complete = await findCompleteCatalogues(this.#database, buckets);
    const idOf = new Map(complete.map(({ bucket, id }) => [bucket, id]));
    const areas = new Areas(idOf);
    for (const { area } of asked) areas.add(area);
    const computed = new Map<string, Computed>();
    for (const area of areas.all) {
      const isRefused = asked.some(({ wanted, ...one }) => wanted && areas.of(one.area).hash === area.hash);
      if (isRefused) await this.#settle(area);
      const keys = asked.flatMap((one) => {
        const catalogueId = one.wanted && idOf.get(one.wanted.bucket);
        if (one.wanted === undefined || catalogueId === undefined) return [];
        return areas.of(one.area).hash === area.hash ? { catalogueId, key: one.wanted.key } : [];
      });
      const namedOnce = [...new Map(keys.map((key) => [nameOf(key.catalogueId, key.key), key])).values()];
      const last = await this.#database.$transaction(async (transaction) => {
        const run = inTransaction(transaction);
        await lockBuckets(run, buckets);
        return readLastReservation(run);
      });
      const found = await computeTotal(this.#database, area, last, namedOnce);
      if (found === undefined) continue;
      await writeTotal(this.#database, found.total);
      const sizes = new Map(
        found.sizes.map(({ catalogueId, key, size }) => [nameOf(catalogueId, key), size]),
      );
      computed.set(area.hash, { total: found.total, sizes });
    }
    return asked.map(({ area }) =>
      normalizeArea(area).buckets.every((bucket) => idOf.has(bucket))
        ? computed.get(areas.of(area).hash)
        : undefined,
    );
  }

  /** Asks the store what has become of uploads that cannot arrive any more, so that they need no room. If it does not answer, they keep it. */
  async #settle(area: CatalogueArea): Promise<void> {
    try {
      const names = await findUnsettled(this.#database, area, MAX_OBSERVED);
      if (names.length > 0)
        await observeObjects({ database: this.#database, objectStore: this.#objectStore }, names);
      await deleteSettled(this.#database);
    } catch (error) {
      logLater(error);
    }
  }
}

/** The areas of some requests, each once. Those with a bucket without a catalogue have only the others, and decide nothing. */
class Areas {
  readonly #byHash = new Map<string, CatalogueArea>();
  readonly #byArea = new Map<Area, CatalogueArea>();

  constructor(private readonly idOf: ReadonlyMap<string, number>) {}

  add(area: Area): void {
    const { buckets, prefixes } = normalizeArea(area);
    const catalogueIds = buckets.flatMap((bucket) => this.idOf.get(bucket) ?? []).sort((a, b) => a - b);
    const areaHash = hash("sha256", JSON.stringify([catalogueIds, prefixes]), "base64url");
    const known = this.#byHash.get(areaHash) ?? { hash: areaHash, catalogueIds, prefixes };
    this.#byHash.set(areaHash, known);
    this.#byArea.set(area, known);
  }

  of(area: Area): CatalogueArea {
    const known = this.#byArea.get(area);
    if (known === undefined) throw new Error("The area was not added.");
    return known;
  }

  get all(): readonly CatalogueArea[] {
    return [...this.#byHash.values()].filter(
      ({ catalogueIds, prefixes }) => catalogueIds.length > 0 && prefixes.length > 0,
    );
  }

  get hashes(): string[] {
    return [...this.#byHash.keys()];
  }
}

const bucketsOf = (areas: readonly Area[]): string[] => [...new Set(areas.flatMap(({ buckets }) => buckets))];

const nameOf = (catalogueId: number, key: string) => `${catalogueId}/${key}`;

const noCatalogue = (bucket: string) =>
  new AppError("unavailable", "The service cannot tell how much room is left. Try again later.", {
    logDetail: `A quota needs a complete catalogue of the bucket ${bucket}. Run: npm run catalogue -- add ${bucket}`,
    retryAfterSeconds: 60,
  });

const logLater = (error: unknown) =>
  logWarning(`Room that was reserved for uploads stays reserved for now. ${messageOf(error)}`);
