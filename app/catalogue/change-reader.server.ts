import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type Database, inTurnOf, isStatementTooSlow } from "../providers/database.server";
import { firstIndex } from "../shared/first-index";
import { logError, logInfo } from "../shared/log.server";
import {
  areFilled,
  type CataloguePrefix,
  type LoggedChange,
  type LogPosition,
  type ReadChanges,
  readChanges,
} from "./change-log.sql.server";

type Run = Pick<Database, "$driverQuery">;

/** How often the log is read while somebody listens. */
const INTERVAL_MS = 1_000;
/** More changes of a folder than this are not told one by one: it is listed again. */
const MAX_TOLD_CHANGES = 200;
/** For so many folders of a catalogue it is found out at once whether the last object in them was deleted. */
const MAX_FOLDERS_LOOKED_INTO = 100;

/** A folder that somebody follows. */
export interface FollowedPlace extends CataloguePrefix {
  /** with everything below it, and not only what is directly in it */
  below?: boolean | undefined;
}

const nameOf = ({ prefix, below = false }: FollowedPlace): string => JSON.stringify([below, prefix]);

/** What has happened in a folder. */
export interface FolderChanges {
  /** where the next reading has to begin */
  position: LogPosition;
  /** objects that were added or changed */
  objects: { key: string; size: number; etag: string; lastModified: Date }[];
  /** keys of objects that are gone */
  gone: string[];
  /** subfolders in which something is, by what their keys begin with */
  filled: string[];
  /** subfolders in which nothing is any more */
  emptied: string[];
  /** The folder has to be listed again: not all that has happened is known. Then the others are empty. */
  isIncomplete: boolean;
}

/** Somebody who listens. */
interface Listener {
  onChanges(changes: FolderChanges): void;
  /** Nothing more will come: the process stops. */
  onEnd(): void;
}

/**
 * Reads the log of all catalogues for all who listen in this process: one statement a second, whoever they are, and none while nobody listens.
 * README.md
 */
export class ChangeReader {
  readonly #database: Pick<Database, "$driverQuery" | "$queryInTurn">;
  /** by catalogue, and by the name of the place */
  readonly #listeners = new Map<number, Map<string, { place: FollowedPlace; listeners: Set<Listener> }>>();
  #position: LogPosition | undefined;
  #count = 0;
  #isClosed = false;
  #isRunning = false;
  #reading: Promise<void> | undefined;
  #wait = new AbortController();

  constructor(database: Pick<Database, "$driverQuery" | "$queryInTurn">) {
    this.#database = database;
  }

  /** how far the log was read; undefined: not yet */
  get position(): LogPosition | undefined {
    return this.#position;
  }

  /**
   * Tells what has happened in a folder since `after`, at once, and from then on whatever happens.
   * @param companyId who waits for the turn
   * @returns a function that stops it
   * @throws AppError `unavailable`
   */
  async listen(
    place: FollowedPlace,
    after: LogPosition | undefined,
    companyId: string,
    listener: Listener,
  ): Promise<() => void> {
    const stop = this.#add(place, listener);
    try {
      // What is being read may be of the time before somebody listened to this catalogue.
      await this.#reading?.catch(() => {});
      const changes = await this.readSince(place, after, companyId);
      this.#position ??= changes.position;
      listener.onChanges(changes);
      return stop;
    } catch (thrown) {
      stop();
      throw thrown;
    }
  }

  /**
   * What has happened in a folder.
   * @param after undefined: in the last two minutes
   * @param companyId who waits for the turn
   * @throws AppError `unavailable`
   */
  async readSince(
    place: FollowedPlace,
    after: LogPosition | undefined,
    companyId: string,
  ): Promise<FolderChanges> {
    const { catalogueId, prefix } = place;
    const inTurn = inTurnOf(this.#database, companyId);
    const read = await readChanges(inTurn, [catalogueId], { after, prefix });
    const changes = new ChangesOfFolder(place);
    await collect(inTurn, read, new Map([[catalogueId, [changes]]]));
    return changes.finish(read.position);
  }

  #add(place: FollowedPlace, listener: Listener): () => void {
    if (this.#isClosed) {
      listener.onEnd();
      return () => {};
    }
    const { catalogueId } = place;
    const name = nameOf(place);
    const byName = this.#listeners.get(catalogueId) ?? new Map();
    const listeners: Set<Listener> = byName.get(name)?.listeners ?? new Set();
    this.#listeners.set(catalogueId, byName.set(name, { place, listeners: listeners.add(listener) }));
    this.#count++;
    void this.#run();
    return () => {
      if (!listeners.delete(listener)) return;
      this.#count--;
      if (listeners.size === 0 && byName.get(name)?.listeners === listeners) byName.delete(name);
      if (byName.size === 0 && this.#listeners.get(catalogueId) === byName)
        this.#listeners.delete(catalogueId);
      if (this.#count === 0) this.#wait.abort();
    };
  }

  /** how many listen */
  get listeners(): number {
    return this.#count;
  }

  /** Ends all who listen, and reads no more. */
  close(): void {
    this.#isClosed = true;
    this.#wait.abort();
    for (const listener of this.#all()) listener.onEnd();
  }

  #all(): Listener[] {
    return [...this.#listeners.values()].flatMap((byName) =>
      [...byName.values()].flatMap(({ listeners }) => [...listeners]),
    );
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    let isFailing = false;
    while (this.#count > 0 && !this.#isClosed) {
      this.#wait = new AbortController();
      await sleep(INTERVAL_MS, undefined, { signal: this.#wait.signal }).catch(() => {});
      try {
        this.#reading = this.#readAll();
        await this.#reading;
        if (isFailing) logInfo("The log of the catalogues can be read again.");
        isFailing = false;
      } catch (thrown) {
        const text =
          "The log of the catalogues cannot be read. Open explorers hear later of what others change.";
        if (!isFailing) logError(text, { thrown });
        isFailing = true;
      }
    }
    // Whoever listens next reads what happens until then.
    this.#position = undefined;
    this.#isRunning = false;
  }

  /** Reads what is new, and tells whoever listens to it. */
  async #readAll(): Promise<void> {
    const after = this.#position;
    if (after === undefined || this.#count === 0) return;
    const read = await readChanges(this.#database, [...this.#listeners.keys()], { after });
    const found = new Map(
      [...this.#listeners].map(([catalogueId, byName]) => [
        catalogueId,
        [...byName.values()].map(({ place }) => new ChangesOfFolder(place)),
      ]),
    );
    await collect(this.#database, read, found);
    // Not before: if something fails, it is read again.
    this.#position = read.position;
    for (const [catalogueId, folders] of found)
      for (const changes of folders) {
        if (changes.isEmpty) continue;
        const told = changes.finish(read.position);
        const name = nameOf(changes.place);
        const listeners = this.#listeners.get(catalogueId)?.get(name)?.listeners ?? new Set();
        for (const listener of [...listeners]) {
          // A message may be long, and many may be told it.
          await nextTurn();
          if (listeners.has(listener)) listener.onChanges(told);
        }
      }
  }
}

/** Gives each change to the folders that show it. */
async function collect(
  database: Run,
  { changes, incomplete }: ReadChanges,
  found: ReadonlyMap<number, readonly ChangesOfFolder[]>,
): Promise<void> {
  const changesOf = new Map<number, LoggedChange[]>();
  for (const change of changes) {
    const others = changesOf.get(change.catalogueId);
    if (others === undefined) changesOf.set(change.catalogueId, [change]);
    else others.push(change);
  }
  for (const [catalogueId, folders] of found) {
    if (incomplete.has(catalogueId)) {
      for (const folder of folders) folder.isIncomplete = true;
      continue;
    }
    const changed = changesOf.get(catalogueId);
    if (changed === undefined) continue;
    const sorted = new SortedChanges(changed);
    const doubtful: { folder: CataloguePrefix; shownIn: ChangesOfFolder }[] = [];
    // Whoever follows everything below a folder may ask about many subfolders, and leaves the first places to others.
    const isBelow = ({ place }: ChangesOfFolder) => Number(place.below ?? false);
    for (const shownIn of folders.toSorted((a, b) => isBelow(a) - isBelow(b))) {
      await nextTurn();
      for (const subfolder of sorted.addTo(shownIn))
        doubtful.push({ folder: { catalogueId, prefix: subfolder }, shownIn });
    }
    const looked = doubtful.slice(0, MAX_FOLDERS_LOOKED_INTO).map(({ folder }) => folder);
    const states = looked.length === 0 ? [] : await areFilledOrUnknown(database, looked);
    for (const [index, { folder, shownIn }] of doubtful.entries()) {
      const isFilled = states[index] ?? null;
      if (isFilled === null) shownIn.isIncomplete = true;
      else if (!isFilled) shownIn.emptied.add(folder.prefix);
    }
  }
}

/** If it takes too long, nothing is known of these folders, and the folders of all other catalogues are told what has happened. */
const areFilledOrUnknown = (database: Run, folders: readonly CataloguePrefix[]) =>
  areFilled(database, folders).catch((error: unknown) => {
    if (isStatementTooSlow(error)) return [];
    throw error;
  });

/** Changes of a catalogue in an order in which those below a folder are side by side. */
class SortedChanges {
  readonly #changes: readonly LoggedChange[];
  /** how many of the objects up to an index exist */
  readonly #existing: readonly number[];

  constructor(changes: readonly LoggedChange[]) {
    this.#changes = changes.toSorted((a, b) => (a.key < b.key ? -1 : 1));
    let count = 0;
    this.#existing = [0, ...this.#changes.map(({ size }) => (size === null ? count : ++count))];
  }

  /**
   * Adds what has happened in a folder. A subfolder that is not followed is passed over at once, and nothing is looked at that is not told: keys
   * may be thousands, and in hundreds of folders inside of each other.
   * @returns the subfolders that may be empty now
   */
  addTo(shownIn: ChangesOfFolder): string[] {
    const { prefix, below } = shownIn.place;
    if (below) return this.#addAllTo(shownIn, prefix);
    const doubtful: string[] = [];
    let index = this.#find(0, (key) => key >= prefix);
    for (let change = this.#changes[index]; change?.key.startsWith(prefix); change = this.#changes[index]) {
      const end = change.key.indexOf("/", prefix.length);
      if (end === -1) {
        shownIn.add(change);
        index++;
      } else {
        const subfolder = change.key.slice(0, end + 1);
        const next = this.#find(index, (key) => !key.startsWith(subfolder));
        if (this.#existing[next] !== this.#existing[index]) shownIn.filled.add(subfolder);
        else doubtful.push(subfolder);
        index = next;
      }
      if (shownIn.count + doubtful.length > MAX_TOLD_CHANGES) {
        shownIn.isIncomplete = true;
        return [];
      }
    }
    return doubtful;
  }

  /** Adds what has happened in a folder and everywhere below it. @returns the subfolders, at any depth, that may be empty now */
  #addAllTo(shownIn: ChangesOfFolder, prefix: string): string[] {
    const doubtful = new Set<string>();
    let index = this.#find(0, (key) => key >= prefix);
    for (let change = this.#changes[index]; change?.key.startsWith(prefix); change = this.#changes[++index]) {
      shownIn.add(change);
      const { key, size } = change;
      for (let end = key.indexOf("/", prefix.length); end !== -1; end = key.indexOf("/", end + 1)) {
        const subfolder = key.slice(0, end + 1);
        if (size !== null) shownIn.filled.add(subfolder);
        else doubtful.add(subfolder);
      }
      if (shownIn.count + doubtful.size > MAX_TOLD_CHANGES) {
        shownIn.isIncomplete = true;
        return [];
      }
    }
    return [...doubtful].filter((subfolder) => !shownIn.filled.has(subfolder));
  }

  /** The first index from `low` on whose key fulfils a condition, as do all behind it. */
  #find(low: number, isFulfilled: (key: string) => boolean): number {
    const { length } = this.#changes;
    return firstIndex(low, length, (index) => isFulfilled(this.#changes[index]?.key ?? ""));
  }
}

/** The changes of one folder, while they are collected. */
class ChangesOfFolder {
  constructor(readonly place: FollowedPlace) {}

  readonly objects: FolderChanges["objects"] = [];
  readonly gone: string[] = [];
  readonly filled = new Set<string>();
  readonly emptied = new Set<string>();
  isIncomplete = false;

  /** how much there is to tell */
  get count(): number {
    return this.objects.length + this.gone.length + this.filled.size + this.emptied.size;
  }

  get isEmpty(): boolean {
    return this.count === 0 && !this.isIncomplete;
  }

  add({ key, size, etag, lastModified }: LoggedChange): void {
    if (size === null || etag === null || lastModified === null) this.gone.push(key);
    else this.objects.push({ key, size, etag, lastModified });
  }

  finish(position: LogPosition): FolderChanges {
    if (this.isIncomplete) return incomplete(position);
    const { objects, gone, filled, emptied } = this;
    return { position, objects, gone, filled: [...filled], emptied: [...emptied], isIncomplete: false };
  }
}

const incomplete = (position: LogPosition): FolderChanges => ({
  position,
  objects: [],
  gone: [],
  filled: [],
  emptied: [],
  isIncomplete: true,
});
