import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Batches } from "../../../embed-element/shared/batches";
import { type Database, inTransaction, inTurnOf, type Transaction } from "../../providers/database.server";
import type { ObjectName } from "../../providers/object-changes.server";
import type { ObjectStore } from "../../providers/object-store.server";
import { AppError } from "../../shared/app-error";
import { messageOf } from "../../shared/error-text";
import { logWarning } from "../../shared/log.server";
import { type CallContext, timeLeft } from "../../shared/request-context.server";
import { Turns } from "../../shared/turns";
import { withinLimit } from "../../shared/within-limit";
import { findCompleteCatalogues } from "../catalogues.server";
import { observeObjects } from "../observe-objects.server";
import { type Area, normalizeArea } from "./area";
import {
  type CatalogueArea,
  computeTotal,
  countHeld,
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
/** All requests to the store before something is refused, milliseconds. What it has not said by then keeps its room. */
const MAX_OBSERVE_MS = 2_000;
/** After an area was summed, it is not summed again for so many times as long: each refusal needs a new total. */
const PAUSE_FACTOR = 2;
/** But not longer than this, milliseconds. */
const MAX_PAUSE_MS = 3_000;
/** How long a request waits for its room, milliseconds. */
const MAX_RESERVE_MS = 10_000;
/** Companies, and areas of them, for which decisions and totals wait for each other. */
const MAX_BATCHES = 10_000;
/** Transactions of this process that lock buckets at once: while another process holds a lock, no more connections wait for it. */
const MAX_LOCKING = 3;
/** Reservations of one area at once. With more, a total would take too long. */
export const MAX_HELD = 20_000;

/** How much some folders may hold together. */
export interface Quota {
  area: Area;
  maxBytes: number;
}

/** Bytes that are about to be stored at a key, in place of what it holds. */
export interface ReservationRequest {
  /** who stores them. Companies do not wait for each other */
  companyId: string;
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
  /** by `performance.now()`. Later, nobody waits for it any more */
  deadline: number;
  /** of each quota, in their order; undefined: none was computed for this request */
  computed: readonly (Computed | undefined)[];
}

type Decision =
  | { outcome: "reserved"; filled: QuotaUsage[] }
  /** `full`: these need a new total, or have no room */
  | { outcome: "full"; full: QuotaUsage[] }
  | { outcome: "busy" }
  | { outcome: "late" }
  | { outcome: "unknown"; bucket: string };

type QuotaDatabase = Pick<Database, "$driverQuery" | "$queryInTurn" | "$transaction" | "catalogue">;

/**
 * Gives bytes to uploads before they are signed, so that together they never exceed a quota, over all processes. README.md
 */
export class Quotas {
  readonly #database: QuotaDatabase;
  readonly #objectStore: Pick<ObjectStore, "listBelow">;
  /** by company */
  readonly #decisions = new LRUCache<string, Batches<Asked, Decision>>({ max: MAX_BATCHES });
  /** by company and area, so that the error of one area is that of no other */
  readonly #totals = new LRUCache<string, Batches<ReservationRequest | undefined, Computed | undefined>>({
    max: MAX_BATCHES,
  });
  readonly #locking = new Turns(MAX_LOCKING, 1);
  readonly #ends: Batches<string, void>;
  readonly #held: Batches<ObjectName, boolean>;

  /** @param pause resolves after so many milliseconds */
  constructor(
    database: QuotaDatabase,
    objectStore: Pick<ObjectStore, "listBelow">,
    private readonly pause: (milliseconds: number) => Promise<unknown> = sleep,
  ) {
    this.#database = database;
    this.#objectStore = objectStore;
    this.#ends = new Batches(async (ids) => {
      await endHolds(database, ids);
      return ids.map(() => undefined);
    });
    this.#held = new Batches(async (names) => {
      const complete = await findCompleteCatalogues(database, [
        ...new Set(names.map(({ bucket }) => bucket)),
      ]);
      const idOf = new Map(complete.map(({ bucket, id }) => [bucket, id]));
      const keys = names.flatMap(({ bucket, key }) => {
        const catalogueId = idOf.get(bucket);
        return catalogueId === undefined ? [] : { catalogueId, key };
      });
      const found = await readReservations(database, keys);
      const held = new Set(found.map(({ catalogueId, key }) => nameOf(catalogueId, key)));
      return names.map(({ bucket, key }) => held.has(nameOf(idOf.get(bucket) ?? 0, key)));
    });
  }

  /**
   * Reserves bytes, if each quota has room for them. Ends with the request's deadline.
   * @returns how full the quotas are now
   * @throws AppError `quota_exceeded`, and nothing is reserved; `unavailable`, also if a bucket has no complete catalogue
   */
  reserve(wanted: ReservationRequest, context?: CallContext): Promise<QuotaUsage[]> {
    const limitMs = timeLeft(MAX_RESERVE_MS, context);
    const deadline = performance.now() + limitMs;
    return withinLimit(limitMs, this.#reserve(wanted, deadline), () => noTotalInTime(wanted));
  }

  async #reserve(wanted: ReservationRequest, deadline: number): Promise<QuotaUsage[]> {
    const none = wanted.quotas.map(() => undefined);
    const first = await this.#decisionOf({ ...wanted, deadline, computed: none });
    if (first.outcome === "reserved") return first.filled;
    const computed = await Promise.all(
      wanted.quotas.map((quota) =>
        first.full.some(({ area }) => area === quota.area)
          ? this.#totalOf(wanted.companyId, quota.area, wanted)
          : undefined,
      ),
    );
    const second = await this.#decisionOf({ ...wanted, deadline, computed });
    if (second.outcome === "reserved") return second.filled;
    throw new QuotaExceeded(second.full);
  }

  /** @throws AppError `unavailable` */
  async #decisionOf(asked: Asked): Promise<Extract<Decision, { outcome: "reserved" | "full" }>> {
    const { companyId } = asked;
    const batches =
      this.#decisions.get(companyId) ?? new Batches((all: Asked[]) => this.#decide(companyId, all));
    this.#decisions.set(companyId, batches);
    const decision = await batches.add(asked);
    if (decision.outcome === "unknown") throw noCatalogue(decision.bucket);
    if (decision.outcome === "busy") throw tooMany(asked);
    if (decision.outcome === "late") throw noTotalInTime(asked);
    return decision;
  }

  /** The total of an area, computed once for all that ask meanwhile. */
  #totalOf(companyId: string, given: Area, wanted?: ReservationRequest): Promise<Computed | undefined> {
    const area = normalizeArea(given);
    const name = JSON.stringify([companyId, area]);
    const batches = this.#totals.get(name) ?? this.#newTotals(companyId, area);
    this.#totals.set(name, batches);
    return batches.add(wanted);
  }

  #newTotals(companyId: string, area: Area): Batches<ReservationRequest | undefined, Computed | undefined> {
    let nextAt = 0;
    const compute = async (all: (ReservationRequest | undefined)[]) => {
      const begunAt = performance.now();
      try {
        return await this.#compute(companyId, area, all);
      } finally {
        const endedAt = performance.now();
        nextAt = endedAt + Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * (endedAt - begunAt));
      }
    };
    return new Batches(compute, undefined, async () => {
      const milliseconds = nextAt - performance.now();
      if (milliseconds > 0) await this.pause(milliseconds);
    });
  }

  /**
   * Nothing more of the upload can arrive. If nothing has arrived, its room is free as soon as the catalogue knows the key. Never rejects: then the
   * room is held to its end.
   */
  async end(uploadId: string): Promise<void> {
    await this.#ends.add(uploadId).catch(logLater);
  }

  /** Whether something may still be stored at a key, also once what is there has been moved away. @throws AppError `unavailable` */
  isHeld(name: ObjectName): Promise<boolean> {
    return this.#held.add(name);
  }

  /**
   * The bytes that an area holds, with those that are reserved.
   * @param maxAgeSeconds how old a total may be that is used in place of a new one. What has been reserved since is added to it
   * @returns undefined without complete catalogues
   * @throws AppError `unavailable`
   */
  async measure(companyId: string, area: Area, maxAgeSeconds = 0): Promise<number | undefined> {
    const kept = maxAgeSeconds > 0 ? await this.#readKept(area, maxAgeSeconds) : undefined;
    if (kept !== undefined) return kept;
    const computed = await this.#totalOf(companyId, area);
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

  /** Locks some buckets while something is done. The companies take turns. */
  #lock<Result>(
    companyId: string,
    buckets: readonly string[],
    work: (run: Pick<Database, "$driverQuery">, transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const inOne = async (transaction: Transaction) => {
      const run = inTransaction(transaction);
      await lockBuckets(run, buckets);
      return work(run, transaction);
    };
    return this.#locking.take(companyId, () => this.#database.$transaction(inOne));
  }

  async #decide(companyId: string, asked: Asked[]): Promise<Decision[]> {
    const buckets = bucketsOf(asked.flatMap(({ quotas }) => quotas.map(({ area }) => area)));
    return this.#lock(companyId, buckets, async (run, transaction) => {
      const complete = await findCompleteCatalogues(transaction, buckets);
      const ledger = await readLedger(run, new Map(complete.map(({ bucket, id }) => [bucket, id])), asked);
      const decisions = asked.map((wanted) => decide(wanted, ledger));
      await insertReservations(run, ledger.made);
      await holdLonger(run, ledger.repeated);
      return decisions;
    });
  }

  /** Computes the total of an area. @returns it for each that has asked; undefined without complete catalogues */
  async #compute(
    companyId: string,
    area: Area,
    asked: (ReservationRequest | undefined)[],
  ): Promise<(Computed | undefined)[]> {
    const complete = await findCompleteCatalogues(this.#database, area.buckets);
    const idOf = new Map(complete.map(({ bucket, id }) => [bucket, id]));
    const areas = new Areas(idOf);
    areas.add(area);
    const [known] = areas.all;
    if (known === undefined || idOf.size < area.buckets.length) return asked.map(() => undefined);
    // A large area takes long to sum, and then this company waits and no other.
    const inTurn = inTurnOf(this.#database, companyId);
    if (asked.some((wanted) => wanted !== undefined)) await this.#settle(known, inTurn);
    const keys = asked.flatMap((wanted) => {
      const catalogueId = wanted && idOf.get(wanted.bucket);
      return wanted === undefined || catalogueId === undefined ? [] : { catalogueId, key: wanted.key };
    });
    const namedOnce = [...new Map(keys.map((key) => [nameOf(key.catalogueId, key.key), key])).values()];
    const last = await this.#lock(companyId, area.buckets, readLastReservation);
    const found = await computeTotal(inTurn, known, last, namedOnce);
    if (found === undefined) return asked.map(() => undefined);
    await writeTotal(this.#database, found.total);
    const sizes = new Map(found.sizes.map(({ catalogueId, key, size }) => [nameOf(catalogueId, key), size]));
    return asked.map(() => ({ total: found.total, sizes }));
  }

  /** Asks the store what has become of uploads that cannot arrive any more, so that they need no room. If it does not answer, they keep it. */
  async #settle(area: CatalogueArea, inTurn: Pick<Database, "$driverQuery">): Promise<void> {
    try {
      const names = await findUnsettled(inTurn, area, MAX_OBSERVED);
      const context = { deadline: performance.now() + MAX_OBSERVE_MS };
      if (names.length > 0)
        await observeObjects({ database: this.#database, objectStore: this.#objectStore }, names, context);
    } catch (error) {
      logLater(error);
    }
  }
}

/** What decisions go by, and change for those that follow. */
interface Ledger {
  /** the catalogue of each bucket that has a complete one */
  idOf: ReadonlyMap<string, number>;
  areas: Areas;
  /** the newest total of each area, if it is new enough */
  totals: ReadonlyMap<string, Total>;
  /** bytes of each area that has a total, at most */
  filled: Map<string, number>;
  /** how many reservations each area holds */
  held: Map<string, number>;
  /** the most that is reserved for each key */
  reserved: Map<string, number>;
  /** the same of each upload and key */
  uploads: Map<string, number>;
  made: NewReservation[];
  /** They have their room already, and hold it longer. */
  repeated: NewReservation[];
}

async function readLedger(
  run: Pick<Database, "$driverQuery">,
  idOf: ReadonlyMap<string, number>,
  asked: readonly Asked[],
): Promise<Ledger> {
  const areas = new Areas(idOf);
  for (const { quotas } of asked) for (const { area } of quotas) areas.add(area);
  const wereComputed = new Set(
    asked.flatMap(({ computed }) => computed.flatMap((one) => one?.total.areaHash ?? [])),
  );
  const totals = new Map<string, Total>();
  for (const { ageSeconds, ...total } of await readTotals(run, areas.hashes)) {
    // One that was computed just now is in the table, unless that has a newer one: so its age is that of the row at most.
    const maxAge = wereComputed.has(total.areaHash) ? MAX_TOTAL_SECONDS : NEW_ENOUGH_SECONDS;
    if (ageSeconds <= maxAge) totals.set(total.areaHash, total);
  }
  const counted = areas.all.flatMap((area) => {
    const total = totals.get(area.hash);
    return total === undefined ? [] : { ...area, total, lastReservation: total.lastReservation };
  });
  const later = await sumLaterReservations(run, counted);
  const filled = new Map(
    counted.map(({ hash, total }, index) => [hash, total.expectedBytes + (later.get(index) ?? 0)]),
  );
  const counts = await countHeld(run, areas.all, MAX_HELD);
  const held = new Map(areas.all.map(({ hash }, index) => [hash, counts.get(index) ?? 0]));
  const keys = asked.flatMap(({ bucket, key }) => {
    const catalogueId = idOf.get(bucket);
    return catalogueId === undefined ? [] : { catalogueId, key };
  });
  const reserved = new Map<string, number>();
  const uploads = new Map<string, number>();
  const uploadIds = asked.map(({ uploadId }) => uploadId);
  for (const { catalogueId, key, uploadId, bytes } of await readReservations(run, keys, uploadIds)) {
    const name = nameOf(catalogueId, key);
    raise(reserved, name, bytes);
    if (uploadId !== null) raise(uploads, `${uploadId} ${name}`, bytes);
  }
  return { idOf, areas, totals, filled, held, reserved, uploads, made: [], repeated: [] };
}

function decide(wanted: Asked, ledger: Ledger): Decision {
  const { idOf, areas, totals, filled, held, reserved, uploads } = ledger;
  const { bucket, key, bytes, uploadId, heldSeconds } = wanted;
  if (performance.now() > wanted.deadline) return { outcome: "late" };
  const missing = bucketsOf(wanted.quotas.map(({ area }) => area)).find((name) => !idOf.has(name));
  const catalogueId = idOf.get(bucket);
  if (missing !== undefined || catalogueId === undefined)
    return { outcome: "unknown", bucket: missing ?? bucket };
  const name = nameOf(catalogueId, key);
  const reservation = { catalogueId, key, bytes, uploadId, heldSeconds };
  if ((uploads.get(`${uploadId} ${name}`) ?? -1) >= bytes) {
    ledger.repeated.push(reservation);
    return { outcome: "reserved", filled: [] };
  }
  const hashes = new Set(wanted.quotas.map(({ area }) => areas.of(area).hash));
  if ([...hashes].some((hash) => (held.get(hash) ?? 0) >= MAX_HELD)) return { outcome: "busy" };
  const results = wanted.quotas.map((quota, index) => {
    const { hash } = areas.of(quota.area);
    const own = wanted.computed[index];
    // The size of what is replaced is known for the moment of the total that was computed for this request, and for no other.
    const isOwn = own !== undefined && own.total.computedAt === totals.get(hash)?.computedAt;
    const size = isOwn ? (own.sizes.get(name) ?? 0) : 0;
    const more = Math.max(0, bytes - Math.max(size, reserved.get(name) ?? 0));
    return { quota, hash, before: filled.get(hash), more };
  });
  const full = results.filter(
    ({ quota, before, more }) => before === undefined || before + more > quota.maxBytes,
  );
  if (full.length > 0)
    return {
      outcome: "full",
      full: full.map(({ quota, before = 0 }) => ({ ...quota, before, after: before })),
    };
  for (const { hash, more } of new Map(results.map((result) => [result.hash, result])).values()) {
    filled.set(hash, (filled.get(hash) ?? 0) + more);
    held.set(hash, (held.get(hash) ?? 0) + 1);
  }
  raise(reserved, name, bytes);
  uploads.set(`${uploadId} ${name}`, bytes);
  ledger.made.push(reservation);
  return {
    outcome: "reserved",
    filled: results.map(({ quota, before = 0, more }) => ({ ...quota, before, after: before + more })),
  };
}

/** Keeps the larger of both. */
const raise = (most: Map<string, number>, name: string, bytes: number) =>
  most.set(name, Math.max(bytes, most.get(name) ?? 0));

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

const tooMany = ({ bucket }: ReservationRequest) =>
  new AppError("unavailable", "There are too many uploads at once. Try again in a moment.", {
    logDetail: `More than ${MAX_HELD} uploads and copies hold room under a quota in the bucket ${bucket}.`,
    retryAfterSeconds: 30,
  });

const noTotalInTime = ({ bucket }: ReservationRequest) =>
  new AppError("unavailable", "The service is busy. Try again in a moment.", {
    logDetail: `A quota in the bucket ${bucket} was not summed in time. A smaller folder takes less time.`,
    retryAfterSeconds: 1,
  });

const logLater = (error: unknown) =>
  logWarning(`Room that was reserved for uploads stays reserved for now. ${messageOf(error)}`);
