import { hash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../shared/app-error";
import { Batches } from "../shared/batches";
import { codeOf } from "../shared/error-text";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { type Database, NOW } from "./database.server";
import type { ObjectName } from "./object-changes.server";

/** When the claim of a process that was killed ends. Claims of living ones are renewed. */
const LEASE_SECONDS = 10;
const RENEW_MS = 3_000;
/** How long a change waits for another one: longer than a lease. */
const MAX_WAIT_MS = 15_000;
/** A wait between two attempts takes half of this to all of it, so that those who wait do not meet again. */
const RETRY_MS = 60;
/** Between two requests of one change, its caller may take so long. */
const NAME_LEASE_SECONDS = 60;
const DEADLOCK = "40P01";

/** Names that one holder needs together. */
interface Wanted {
  holder: string;
  names: string[];
  seconds: number;
}

/** A claim that is the holder's already is renewed. In one order, because other statements lock the same rows. */
const TAKE = `
  INSERT INTO object_claims (name_hash, holder, expires_at)
  SELECT name, holder, ${NOW} + make_interval(secs => seconds)
  FROM jsonb_to_recordset($1) AS wanted(name text, holder text, seconds float8) ORDER BY name
  ON CONFLICT (name_hash) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE object_claims.expires_at < ${NOW} OR object_claims.holder = excluded.holder
  RETURNING name_hash AS name, holder`;

/** $1: holders */
const HELD = "SELECT name_hash FROM object_claims WHERE holder = ANY($1) ORDER BY name_hash FOR UPDATE";
const RELEASE = `DELETE FROM object_claims WHERE name_hash IN (${HELD})`;
const RENEW = `
  UPDATE object_claims SET expires_at = ${NOW} + make_interval(secs => ${LEASE_SECONDS}) WHERE name_hash IN (${HELD})`;

/**
 * Sees to it that two of our own changes never work on one object at once, whichever processes they run in. A store has no move, and not
 * every store has conditional writes. What other programs do at the store is not excluded. app/services/files/changes/README.md
 */
export class ObjectClaims {
  readonly #database: Pick<Database, "$driverQuery">;
  readonly #taking: Batches<Wanted, boolean>;
  readonly #releasing: Batches<string, void>;
  /** the holders of this process whose claims are renewed */
  readonly #held = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(database: Pick<Database, "$driverQuery">) {
    this.#database = database;
    this.#taking = new Batches((wanted) => this.#takeAll(wanted));
    this.#releasing = new Batches(async (holders) => {
      await this.#query(RELEASE, [holders]);
      return holders.map(() => undefined);
    });
  }

  /**
   * Runs `work` while no other change has any of these objects. It does not nest: `work` must not wait for further objects.
   * @throws AppError `upload_conflict` if another change has one of them for 15 seconds, or for as long as the request may take;
   * `unavailable`; and what `work` throws
   */
  async during<Result>(
    objects: readonly ObjectName[],
    context: CallContext | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const holder = randomUUID();
    const names = objects.map((object) => nameHash("object", object));
    const deadline = performance.now() + timeLeft(MAX_WAIT_MS, context);
    while (!(await this.#taking.add({ holder, names, seconds: LEASE_SECONDS }))) {
      if (performance.now() >= deadline)
        throw new AppError("upload_conflict", "Somebody else is changing this file. Try again in a moment.");
      await sleep(RETRY_MS * (0.5 + Math.random() / 2));
    }
    this.#held.add(holder);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
    try {
      return await work();
    } finally {
      this.#held.delete(holder);
      void this.release(holder);
    }
  }

  /**
   * Claims names for new objects, for a minute. Repeating it renews those that the holder has.
   * @returns for each, whether it is the holder's
   * @throws AppError `unavailable`
   */
  async takeNames(holder: string, objects: readonly ObjectName[]): Promise<boolean[]> {
    const names = objects.map((object) => nameHash("name", object));
    const taken = await this.#take(
      names.map((name) => ({ holder, names: [name], seconds: NAME_LEASE_SECONDS })),
    );
    return names.map((name) => taken.get(name) === holder);
  }

  /** Gives up what a holder has. Never rejects: if it fails, the claims expire. */
  async release(holder: string): Promise<void> {
    await this.#releasing.add(holder).catch(() => {});
  }

  async #takeAll(wanted: Wanted[]): Promise<boolean[]> {
    // A statement cannot write one row twice: who comes second tries again.
    const seen = new Set<string>();
    const first = wanted.filter(({ names }) => {
      if (names.some((name) => seen.has(name))) return false;
      for (const name of names) seen.add(name);
      return true;
    });
    const taken = await this.#take(first);
    const has = ({ holder, names }: Wanted) => names.every((name) => taken.get(name) === holder);
    const incomplete = first.filter(
      (one) => !has(one) && one.names.some((name) => taken.get(name) === one.holder),
    );
    if (incomplete.length > 0) await this.#query(RELEASE, [incomplete.map(({ holder }) => holder)]);
    return wanted.map(has);
  }

  /** @returns the holders of the names that were taken */
  async #take(wanted: readonly Wanted[]): Promise<Map<string, string>> {
    const rows = wanted.flatMap(({ names, ...one }) => [...new Set(names)].map((name) => ({ name, ...one })));
    const taken = await this.#query<{ name: string; holder: string }>(TAKE, [JSON.stringify(rows)]);
    return new Map(taken.map(({ name, holder }) => [name, holder]));
  }

  #renew(): void {
    if (this.#held.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
      return;
    }
    // If this fails, the next attempt follows before the lease ends.
    this.#query(RENEW, [[...this.#held]]).catch(() => {});
  }

  async #query<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
    try {
      return await this.#database.$driverQuery<Row>(statement, values);
    } catch (error) {
      if (codeOf(error) !== DEADLOCK) throw error;
      return this.#database.$driverQuery<Row>(statement, values);
    }
  }
}

function nameHash(purpose: "object" | "name", { bucket, key }: ObjectName): string {
  return hash("sha256", JSON.stringify([purpose, bucket, key]), "base64url");
}
