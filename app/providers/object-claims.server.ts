import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "../shared/app-error";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { storableText } from "../shared/storable-text";
import { type Database, DEADLOCK, isCausedByCode, NOW } from "./database.server";
import type { ObjectName } from "./object-changes.server";

/** When the claims of a process that was killed end. Those of living ones are renewed. */
const LEASE_SECONDS = 10;
const RENEW_MS = 3_000;
/** How long a change waits for another one: longer than a lease. */
const MAX_WAIT_MS = 15_000;
/** A wait between two attempts takes half of this to all of it, so that those who wait do not meet again. */
const RETRY_MS = 60;

const LEASE_END = `${NOW} + make_interval(secs => ${LEASE_SECONDS})`;

/** $1: names. $2: the holder. $3: its change, or null. Claims those that are free. In one order, because other statements lock the same rows. */
const TAKE = `
  INSERT INTO object_claims (name, holder, expires_at)
  SELECT name, $2, ${LEASE_END} FROM unnest($1::text[]) AS name ORDER BY name COLLATE "C"
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
    WHERE object_claims.expires_at < ${NOW} OR object_claims.holder IN ($2, $3)
  RETURNING name`;

/** $1: the folders above the names. $2: the names. $3: the holder and its change. What others have claimed above the names, or inside them. */
const FIND_OVERLAPS = `
  SELECT name FROM object_claims WHERE name = ANY($1) AND holder <> ALL($3) AND expires_at >= ${NOW}
  UNION ALL
  SELECT name FROM unnest($2::text[]) AS folder JOIN object_claims ON name > folder AND name < left(folder, -1) || '0'
  WHERE folder LIKE '%/' AND holder <> ALL($3) AND expires_at >= ${NOW}
  LIMIT 1`;

/** $1: a holder, or several */
const HELD = "name IN (SELECT name FROM object_claims WHERE holder = ANY($1) ORDER BY name FOR UPDATE)";
const RELEASE = `DELETE FROM object_claims WHERE ${HELD}`;
const RENEW = `UPDATE object_claims SET expires_at = ${LEASE_END} WHERE ${HELD}`;
/** $2: the next holder */
const HAND_ON = `UPDATE object_claims SET holder = $2, expires_at = ${LEASE_END} WHERE ${HELD}`;

/** A change that takes several requests. */
interface LongChange<Result> {
  id: string;
  /** An earlier request of it has left its claims to this one. */
  isContinued: boolean;
  /** Whether this was its last request. If not, its claims wait for the next one, for 10 seconds. */
  isOver(result: Result): boolean;
}

/**
 * Sees to it that two of our own changes never work on the same files and folders at once, whichever processes they run in. A store has no
 * move, and not every store has conditional writes. What other programs do at the store is not excluded. app/services/files/changes/README.md
 */
export class ObjectClaims {
  readonly #database: Pick<Database, "$driverQuery">;
  /** the holders of this process, whose claims are renewed: one for each request */
  readonly #holders = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(database: Pick<Database, "$driverQuery">) {
    this.#database = database;
  }

  /**
   * Runs `work` while no other change has any of these files and folders, what is inside them, or a folder that they are in. It does not nest:
   * `work` must not wait for further claims.
   * @param objects a folder is the prefix of its keys, which ends with a slash; empty for the whole bucket
   * @param work gets the holder for `takeNames`
   * @param change undefined for a change of one request
   * @throws AppError `upload_conflict` if another change has one of them for 15 seconds, or for as long as the request may take;
   * `unavailable`; and what `work` throws
   */
  async during<Result>(
    objects: readonly ObjectName[],
    context: CallContext | undefined,
    work: (holder: string) => Promise<Result>,
    change?: LongChange<NoInfer<Result>>,
  ): Promise<Result> {
    const holder = randomUUID();
    const names = [...new Set(objects.map(nameOf))];
    const deadline = performance.now() + timeLeft(MAX_WAIT_MS, context);
    let goesOn = false;
    try {
      while (!(await this.#takeAll(names, holder, change))) {
        if (performance.now() >= deadline)
          throw new AppError("upload_conflict", "Somebody else is changing this. Try again in a moment.");
        await sleep(RETRY_MS * (0.5 + Math.random() / 2));
      }
      this.#holders.add(holder);
      this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS).unref();
      const result = await work(holder);
      goesOn = change !== undefined && !change.isOver(result);
      return result;
    } finally {
      this.#holders.delete(holder);
      const ended = goesOn ? this.#query(HAND_ON, [[holder], change?.id]) : this.#query(RELEASE, [[holder]]);
      // If this fails, the claims expire.
      void ended.catch(() => {});
    }
  }

  /**
   * Claims names for new objects, without waiting.
   * @returns for each, whether it is the holder's
   * @throws AppError `unavailable`
   */
  async takeNames(holder: string, objects: readonly ObjectName[]): Promise<boolean[]> {
    const names = objects.map(nameOf);
    const taken = await this.#take([...new Set(names)], holder);
    return names.map((name) => taken.has(name));
  }

  /** Takes all names or none. A request that continues a change leaves to it what it had: whoever is in the way only tries to take something. */
  async #takeAll(
    names: string[],
    holder: string,
    change: Pick<LongChange<unknown>, "id" | "isContinued"> | undefined,
  ): Promise<boolean> {
    const taken = await this.#take(names, holder, change?.id);
    // After taking: of two changes that take names at once, at least one sees the other's.
    if (taken.size === names.length && !(await this.#overlap(names, holder, change?.id))) {
      // The rest of what its earlier requests have left: names for new objects.
      if (change?.isContinued) await this.#query(HAND_ON, [[change.id], holder]);
      return true;
    }
    if (taken.size > 0)
      await (change?.isContinued
        ? this.#query(HAND_ON, [[holder], change.id])
        : this.#query(RELEASE, [[holder]]));
    return false;
  }

  async #take(names: string[], holder: string, change?: string): Promise<Set<string>> {
    const taken = await this.#query<{ name: string }>(TAKE, [names, holder, change ?? null]);
    return new Set(taken.map(({ name }) => name));
  }

  async #overlap(names: string[], holder: string, change: string | undefined): Promise<boolean> {
    const above = [...new Set(names.flatMap(foldersAbove))];
    const own = change === undefined ? [holder] : [holder, change];
    return (await this.#query(FIND_OVERLAPS, [above, names, own])).length > 0;
  }

  #renew(): void {
    if (this.#holders.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
      return;
    }
    // If this fails, the next attempt follows before the lease ends.
    this.#query(RENEW, [[...this.#holders]]).catch(() => {});
  }

  async #query<Row extends object>(statement: string, values: unknown[]): Promise<Row[]> {
    try {
      return await this.#database.$driverQuery<Row>(statement, values);
    } catch (error) {
      if (!isCausedByCode(error, DEADLOCK)) throw error;
      return this.#database.$driverQuery<Row>(statement, values);
    }
  }
}

const nameOf = ({ bucket, key }: ObjectName): string => storableText(`${bucket}/${key}`);

/** The names of the folders that contain a file or folder. */
const foldersAbove = (name: string): string[] =>
  [...name.matchAll(/\/(?=.)/gs)].map(({ index }) => name.slice(0, index + 1));
