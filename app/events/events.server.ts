import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { Batches } from "../../embed-element/shared/batches";
import {
  type Database,
  DEADLOCK,
  isCausedByCode,
  isStatementTooSlow,
  isUnexpectedRow,
  UNIQUE_VIOLATION,
} from "../providers/database.server";
import type { ObjectName } from "../providers/object-changes.server";
import { hasCode } from "../shared/app-error";
import { codeOf } from "../shared/error-text";
import { logError, logInfo } from "../shared/log.server";
import { withinLimit } from "../shared/within-limit";
import type { FileEvent, NewEvent } from "./event";
import {
  deletePendingEvent,
  findFurtherUploads,
  insertEvents,
  insertPendingEvents,
  type SeenUpload,
} from "./events.sql.server";

/** Maximum number of events that wait in memory while the database is down. Further ones are lost, and counted. */
const MAX_WAITING_EVENTS = 10_000;
const MAX_BATCH_EVENTS = 500;
/** How long a request waits for its event to be written. The event itself waits longer. */
const MAX_WAIT_MS = 1_000;
/** PostgreSQL's codes for values that it cannot store: classes 22, 23 and 54 */
const unstorable = /^(22|23|54)...$/;
/**
 * With these, another process got in the way. A unique violation: two have inserted the row of one upload at once. `ON CONFLICT` compares
 * `change` only, and PostgreSQL may find first that the ids are the same.
 */
const IN_THE_WAY = [DEADLOCK, UNIQUE_VIOLATION];
const MAX_PENDING_ATTEMPTS = 5;
/** An event that takes the database too long is lost after so many attempts, if others are written meanwhile. */
const MAX_SLOW_ATTEMPTS = 3;
/** how long after a failed write the next one is tried */
const RETRY_MS = 2_000;

/** Is told which objects have changed: what the service itself does comes into the catalogues this way. */
interface ChangedObjects {
  /** Writes that objects have changed. @returns `observed` never rejects: whoever reads a catalogue from then on sees the changes */
  note(names: readonly ObjectName[]): Promise<{ observed: Promise<unknown> }>;
}

/** A row of `events` that is still to be written. */
type NewEventRow = NewEvent & {
  id: string;
  occurredAt: string;
  source: "service" | "store";
  /** see `SeenUpload` */
  seenAt?: string;
};

interface WaitingEvent {
  row: NewEventRow;
  written(): void;
  /** attempts to write it alone that took too long. Such an event waits behind all others, and holds none up. */
  slowAttempts: number;
  /** the number of successful writes at the last of these */
  writesBefore: number;
}

/**
 * The record of what happened. A change is written twice: before the store is asked (`recordPending`), and after the store has made it (`record`).
 * A crash between the two leaves a row that `npm run cleanup` resolves. README.md
 */
export class Events {
  readonly #database: Pick<Database, "$driverQuery">;
  readonly #pending: Batches<FileEvent & { id: string; change: string }, string>;
  readonly #waiting: WaitingEvent[] = [];
  /** how many events the next write may have */
  #batchSize = MAX_BATCH_EVENTS;
  /** how many writes have succeeded */
  #writes = 0;
  #isWriting = false;
  /** the last write failed */
  #isFailing = false;
  #lost = 0;
  readonly #changedObjects: ChangedObjects | undefined;

  /** @param changedObjects undefined if no bucket has a catalogue */
  constructor(database: Pick<Database, "$driverQuery">, changedObjects?: ChangedObjects) {
    this.#database = database;
    this.#changedObjects = changedObjects;
    this.#pending = new Batches((rows) => this.#writePending(rows), MAX_BATCH_EVENTS);
  }

  /**
   * Writes a pending row for a change, before the store is asked for it.
   * @param identity tells the change from another one of the same company, type, bucket and key: the version of its source
   * @returns the event's id: that of an earlier attempt that is still pending, or a new one
   * @throws AppError `unavailable`: the change must then not be made
   */
  async recordPending(event: FileEvent, identity: string): Promise<string> {
    const { type, companyId, bucket, key } = event;
    const change = hash("sha256", JSON.stringify([companyId, type, bucket, key, identity]), "base64url");
    return this.#pending.add({ ...event, id: newEventId(), change });
  }

  /**
   * Like `recordPending`, for an upload. The event's id is in the metadata of the uploaded object, so the store itself can tell which event it
   * is. The row stays when the event is written, because a URL may be used again. `npm run cleanup` deletes it after a day.
   * @throws AppError `unavailable`
   */
  async recordPendingUpload(id: string, event: FileEvent): Promise<void> {
    await this.#pending.add({ ...event, id, change: id });
  }

  /** Like `recordPendingUpload`, but a database failure does not stop the upload. Its event is then written when the upload is confirmed. */
  async tryRecordPendingUpload(id: string, event: FileEvent): Promise<void> {
    if (this.#isFailing) return;
    await waitBriefly(this.recordPendingUpload(id, event));
  }

  /**
   * Writes that the store holds an upload of ours, as `record` does. The first content under a mark is the event with that id. Another one is
   * an event of its own, whose id follows from the mark, the content and what the record said before.
   * @param event `id`: the mark of the object; `data`: as the store describes it; `seenAt`: a moment at which the store held it, by our
   * clock before it was asked, or when it was stored
   */
  async recordUpload({
    seenAt,
    ...event
  }: NewEvent & {
    id: string;
    seenAt: Date;
    occurredAt?: Date;
    source?: NewEventRow["source"];
  }): Promise<void> {
    await this.record({ occurredAt: seenAt, ...event, seenAt: seenAt.toISOString() });
  }

  /**
   * Writes that something has happened. Never rejects: while the database is down, the event waits in memory. An event whose id exists
   * is not written again.
   * @param event `id`: as returned by `recordPending`, if there is a pending row; `occurredAt`: now, unless given; `seenAt`: of
   * `recordUpload` alone
   * @returns resolves once the event is written and what has changed is in the catalogue, or after one second
   */
  async record({
    id = newEventId(),
    occurredAt = new Date(),
    source = "service",
    ...event
  }: NewEvent & {
    id?: string;
    occurredAt?: Date;
    source?: NewEventRow["source"];
    seenAt?: string;
  }): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING_EVENTS) {
      if (this.#lost === 0)
        logError("The database has been unavailable for too long. Further events are discarded.");
      this.#lost += 1;
      return;
    }
    const written = new Promise<void>((resolve) => {
      const row = { ...event, id, occurredAt: occurredAt.toISOString(), source };
      this.#waiting.push({ row, written: resolve, slowAttempts: 0, writesBefore: 0 });
      if (!this.#isWriting) void this.#writeWaiting();
    });
    if (!this.#isFailing) await waitBriefly(written);
  }

  /** Deletes the pending row of a change that was not made. If that fails, `npm run cleanup` does it. */
  async discardPending(id: string): Promise<void> {
    await deletePendingEvent(this.#database, id).catch(() => {});
  }

  /** Waits until all events are written. Gives up after `limitMs`, or if the last write failed, and logs how many events are lost. */
  async flush(limitMs = Number.POSITIVE_INFINITY): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (this.#waiting.length > 0 && !this.#isFailing && performance.now() < deadline) await sleep(10);
    if (this.#waiting.length > 0) logError(`${this.#waiting.length} events were not written: they are lost.`);
  }

  async #writePending(rows: (FileEvent & { id: string; change: string })[]): Promise<string[]> {
    // A statement cannot insert one change twice. In one order, because another process may lock the same rows.
    const distinct = new Map(rows.map((row) => [row.change, row]));
    const sorted = [...distinct.values()].sort((one, other) => (one.change < other.change ? -1 : 1));
    const written = await this.#writeAgain(() => insertPendingEvents(this.#database, sorted));
    const ids = new Map(written.map(({ change, id }) => [change, id]));
    return rows.map(({ change, id }) => ids.get(change) ?? id);
  }

  /** Repeats a write that another process has only got in the way of. */
  async #writeAgain<Result>(write: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        if (!isCausedByCode(error, ...IN_THE_WAY) || attempt === MAX_PENDING_ATTEMPTS) throw error;
      }
    }
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    // Requests of this turn of the event loop share the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      try {
        const rows = withoutRepeated(batch.map(({ row }) => row));
        const noted = await this.#noteChangedObjects(rows);
        await this.#insert(rows);
        this.#waiting.splice(0, batch.length);
        this.#writes += 1;
        this.#batchSize = Math.min(MAX_BATCH_EVENTS, this.#batchSize * 2);
        for (const { written } of batch) {
          if (noted === undefined) written();
          else void noted.observed.then(written);
        }
        if (this.#isFailing) this.#logRecovered();
      } catch (thrown) {
        if (!this.#isFailing) logError("Events cannot be written. They wait for the database.", { thrown });
        this.#isFailing = true;
        if (isStatementTooSlow(thrown)) this.#setSlowAside(batch, thrown);
        else await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    this.#isWriting = false;
  }

  #nextBatch(): WaitingEvent[] {
    const slow = this.#waiting.findIndex(({ slowAttempts }) => slowAttempts > 0);
    if (slow === -1) return this.#waiting.slice(0, this.#batchSize);
    return this.#waiting.slice(0, slow === 0 ? 1 : Math.min(slow, this.#batchSize));
  }

  /** Finds the events that take too long by halves, and puts each behind all others. */
  #setSlowAside(batch: readonly WaitingEvent[], thrown: unknown): void {
    const [event] = batch;
    if (event === undefined || batch.length > 1) {
      this.#batchSize = Math.ceil(batch.length / 2);
      return;
    }
    this.#waiting.shift();
    // While nothing else can be written, it is not this event that is too slow.
    if (event.slowAttempts === 0 || this.#writes > event.writesBefore) event.slowAttempts += 1;
    event.writesBefore = this.#writes;
    if (event.slowAttempts < MAX_SLOW_ATTEMPTS) this.#waiting.push(event);
    else {
      logError(`An event of type ${event.row.type} took the database too long: it is lost.`, { thrown });
      event.written();
    }
  }

  /**
   * Comes before the events: if the process is killed in between, it is done again with the event, whose pending row is left. No other failure holds
   * up an event, because the next scan of the bucket finds what has changed.
   * @throws AppError `unavailable`, but not because it takes too long
   */
  async #noteChangedObjects(
    rows: readonly NewEventRow[],
  ): Promise<{ observed: Promise<unknown> } | undefined> {
    if (this.#changedObjects === undefined) return undefined;
    const names = rows.flatMap(changedObjectsOf);
    if (names.length === 0) return undefined;
    try {
      return await this.#changedObjects.note(names);
    } catch (thrown) {
      if (hasCode(thrown, "unavailable") && !isStatementTooSlow(thrown)) throw thrown;
      logError("Changes are missing in a catalogue until the next scan.", { thrown });
      return undefined;
    }
  }

  /** @throws AppError `unavailable` */
  async #insert(rows: NewEventRow[]): Promise<void> {
    try {
      await insertEvents(this.#database, rows);
      await this.#insertFurtherUploads(rows.filter(isSeenUpload));
    } catch (thrown) {
      // All other failures may be temporary: a full disk, or a database that takes no writes for a moment.
      if (!unstorable.test(codeOf(thrown)) && !isUnexpectedRow(thrown)) throw thrown;
      if (rows.length > 1) for (const row of rows) await this.#insert([row]);
      else logError(`An event of type ${rows[0]?.type} could not be stored: it is lost.`, { thrown });
    }
  }

  /** To be called when the first events of these uploads are written. */
  async #insertFurtherUploads(uploads: SeenUpload[]): Promise<void> {
    if (uploads.length === 0) return;
    const further = await findFurtherUploads(this.#database, uploads);
    if (further.length === 0) return;
    const rows = further.map(({ mark, previous, ...event }) => {
      const { etag, version } = event.data;
      const id = eventIdFrom(new Date(timeOfEventId(mark)), [mark, etag, version ?? previous]);
      return { ...event, id, type: "file.uploaded" };
    });
    await insertEvents(this.#database, rows);
  }

  #logRecovered(): void {
    this.#isFailing = false;
    const lost = this.#lost === 0 ? "None was lost." : `${this.#lost} were lost.`;
    logInfo(`Events are written again. ${lost}`);
    this.#lost = 0;
  }
}

/** The objects that may be others than before. How full folders are changes none. */
function changedObjectsOf(row: NewEventRow): ObjectName[] {
  if (!("bucket" in row) || row.type === "file.download_signed" || row.type === "usage.threshold") return [];
  const { type, bucket, key, data } = row;
  const source = type === "file.moved" && data.from !== undefined ? [{ bucket, key: data.from }] : [];
  return [{ bucket, key }, ...source];
}

const isSeenUpload = (row: NewEventRow): row is NewEventRow & SeenUpload => row.seenAt !== undefined;

/** Each version of an upload once, however often it was reported. */
const withoutRepeated = (rows: readonly NewEventRow[]): NewEventRow[] => {
  const reported = new Set<string>();
  return rows.filter((row) => {
    if (row.seenAt === undefined || !("bucket" in row) || !("version" in row.data)) return true;
    if (row.data.version === undefined) return true;
    const version = JSON.stringify([row.id, row.bucket, row.key, row.data.version]);
    const isNew = !reported.has(version);
    reported.add(version);
    return isNew;
  });
};

/** Waits at most `MAX_WAIT_MS` for a write, which continues in any case. Never rejects. */
const waitBriefly = (written: Promise<void>) =>
  withinLimit(MAX_WAIT_MS, written, () => new Error("late")).catch(() => {});

let made = 0;

/**
 * UUID version 7: ids are in the order of their time, and those of one process in the same millisecond in the order in which they were made.
 * RFC 9562, section 5.7. Without `msecs`, `uuid` would keep to the latest time ever seen, also after the clock was set back.
 */
export const newEventId = (): string => uuidv7({ msecs: Date.now(), seq: made++ % 2 ** 31 });

/** The same id for what has the same `parts`, and in the order of `time`. */
export function eventIdFrom(time: Date, parts: readonly unknown[]): string {
  const random = hash("sha256", JSON.stringify(parts), "buffer").subarray(0, 16);
  return uuidv7({ msecs: time.getTime(), random });
}

/** Milliseconds since 1970 at which an event's id was made. RFC 9562, section 5.7 */
export const timeOfEventId = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

export const isEventId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
