import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Batches } from "../../embed-element/shared/batches";
import { AppError, invalidRequest } from "../shared/app-error";
import { type CallContext, timeLeft } from "../shared/request-context.server";
import { storableText } from "../shared/storable-text";
import { type Database, repeatOnDeadlock } from "./database.server";
import type { ObjectName } from "./object-changes.server";
import {
  handOnClaims,
  overlapsClaims,
  releaseClaims,
  renewClaims,
  selectClaims,
  takeClaims,
} from "./object-claims.sql.server";

const RENEW_MS = 3_000;
/** How long a change waits for another one: longer than a lease. */
const MAX_WAIT_MS = 15_000;
/** A wait between two attempts takes half of this to all of it, so that those who wait do not meet again. */
const RETRY_MS = 60;

/** Characters of the folders that the objects of a change are in, together. A thousand files that are each in thirty folders of their own may have names of some 600 characters. */
const MAX_FOLDERS_LENGTH = 10_000_000;

/** What a change claims. */
interface Claim {
  names: string[];
  /** the folders that these are in */
  above: string[];
}

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
  /** the holders of this process, whose claims are renewed: one for each request */
  readonly #holders = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;
  readonly #held: Batches<{ holder: string; names: readonly string[] }, boolean>;

  constructor(private readonly database: Pick<Database, "$driverQuery">) {
    this.#held = new Batches((asked) => this.#areHeld(asked));
  }

  /**
   * Runs `work` while no other change has any of these files and folders, what is inside them, or a folder that they are in. It does not nest:
   * `work` must not wait for further claims.
   * @param objects a folder is the prefix of its keys, which ends with a slash; empty for the whole bucket
   * @param work gets the holder for `takeNames`
   * @param change undefined for a change of one request
   * @throws AppError `upload_conflict` if another change has one of them for 15 seconds, or for as long as the request may take;
   * `invalid_request` for too many folders; `unavailable`; and what `work` throws
   */
  async during<Result>(
    objects: readonly ObjectName[],
    context: CallContext | undefined,
    work: (holder: string) => Promise<Result>,
    change?: LongChange<NoInfer<Result>>,
  ): Promise<Result> {
    const holder = randomUUID();
    const names = [...new Set(objects.map(nameOf))];
    const claim = { names, above: foldersAbove(names) };
    const deadline = performance.now() + timeLeft(MAX_WAIT_MS, context);
    let goesOn = false;
    try {
      while (!(await this.#takeAll(claim, holder, change))) {
        if (performance.now() >= deadline)
          throw new AppError("upload_conflict", "Somebody else is changing this. Try again in a moment.");
        await sleep(RETRY_MS * (0.5 + Math.random() / 2));
      }
      this.#holders.add(holder);
      // If this fails, the next attempt follows before the lease ends.
      this.#renewing ??= setInterval(() => void this.renew().catch(() => {}), RENEW_MS).unref();
      const result = await work(holder);
      goesOn = change !== undefined && !change.isOver(result);
      return result;
    } finally {
      this.#holders.delete(holder);
      // If this fails, the claims expire.
      void this.#leave(holder, goesOn ? change?.id : undefined).catch(() => {});
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

  /**
   * Whether a holder still has its claims of all these files. A process that stood still for longer than a lease has lost them: what it was about
   * to do, another one may have done. Ask before a deletion that takes for granted that nobody has.
   * @throws AppError `unavailable`
   */
  async holds(holder: string, objects: readonly ObjectName[]): Promise<boolean> {
    const held = await Promise.all(
      objects.map(nameOf).map((name) => this.#held.add({ holder, names: [name, ...foldersAbove([name])] })),
    );
    return held.every(Boolean);
  }

  /** For each, whether the holder has claimed one of the names: of a file, or of a folder that it is in. */
  async #areHeld(asked: readonly { holder: string; names: readonly string[] }[]): Promise<boolean[]> {
    const holders = new Set(asked.map(({ holder }) => holder));
    const names = new Set(asked.flatMap((one) => one.names));
    const found = await selectClaims(this.database, [...holders], [...names]);
    return asked.map((one) =>
      found.some(({ holder, name }) => holder === one.holder && one.names.includes(name)),
    );
  }

  /** Takes all names or none. A request that continues a change leaves to it what it had: whoever is in the way only tries to take something. */
  async #takeAll(
    claim: Claim,
    holder: string,
    change: Pick<LongChange<unknown>, "id" | "isContinued"> | undefined,
  ): Promise<boolean> {
    const { names } = claim;
    const taken = await this.#take(names, holder, change?.id);
    // After taking: of two changes that take names at once, at least one sees the other's.
    if (taken.size === names.length && !(await this.#overlap(claim, holder, change?.id))) {
      // The rest of what its earlier requests have left: names for new objects.
      if (change?.isContinued) await repeatOnDeadlock(() => handOnClaims(this.database, change.id, holder));
      return true;
    }
    if (taken.size > 0) await this.#leave(holder, change?.isContinued ? change.id : undefined);
    return false;
  }

  #take(names: string[], holder: string, change?: string): Promise<Set<string>> {
    return repeatOnDeadlock(() => takeClaims(this.database, names, holder, change));
  }

  /** Gives up the claims of a request, or leaves them to the next one of its change. */
  async #leave(holder: string, change: string | undefined): Promise<void> {
    await repeatOnDeadlock(() =>
      change === undefined
        ? releaseClaims(this.database, holder)
        : handOnClaims(this.database, holder, change),
    );
  }

  async #overlap({ names, above }: Claim, holder: string, change: string | undefined): Promise<boolean> {
    const own = change === undefined ? [holder] : [holder, change];
    return repeatOnDeadlock(() => overlapsClaims(this.database, names, above, own));
  }

  /** Renews the claims of this process. One that has ended stays so. */
  async renew(): Promise<void> {
    if (this.#holders.size === 0) {
      clearInterval(this.#renewing);
      this.#renewing = undefined;
      return;
    }
    await repeatOnDeadlock(() => renewClaims(this.database, [...this.#holders]));
  }
}

const nameOf = ({ bucket, key }: ObjectName): string => storableText(`${bucket}/${key}`);

/**
 * The names of the folders that contain these files and folders, each once.
 * @throws AppError `invalid_request` if they are too long together
 */
function foldersAbove(names: readonly string[]): string[] {
  const folders = new Set<string>();
  let length = 0;
  for (const name of names)
    for (let at = name.lastIndexOf("/", name.length - 2); at > 0; at = name.lastIndexOf("/", at - 1)) {
      const folder = name.slice(0, at + 1);
      // Then those above it are known, too.
      if (folders.has(folder)) break;
      folders.add(folder);
      length += folder.length;
      if (length > MAX_FOLDERS_LENGTH)
        throw invalidRequest([{ path: "", message: "names files in too many folders; send fewer at once" }]);
    }
  return [...folders];
}
