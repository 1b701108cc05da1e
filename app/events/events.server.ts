import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { IS_LIVE } from "../embed/embed-clients.server";
import { type Database, NOW } from "../providers/database.server";
import { Batches } from "../shared/batches";
import { codeOf } from "../shared/error-text";
import { logError, logInfo } from "../shared/log.server";
import { storableText } from "../shared/storable-text";
import { withinLimit } from "../shared/within-limit";
import type { EventData, FileEvent, NewEvent } from "./event";

/** Maximum number of events that wait in memory while the database is down. Further ones are lost, and counted. */
const MAX_WAITING_EVENTS = 10_000;
const MAX_BATCH_EVENTS = 500;
/** How long a request waits for its event to be written. The event itself waits longer. */
const MAX_WAIT_MS = 1_000;
/** PostgreSQL's codes for values that it cannot store: classes 22, 23 and 54 */
const unstorable = /^(22|23|54)...$/;
const DEADLOCK = "40P01";
/**
 * Two processes have inserted the row of one upload at once. `ON CONFLICT` compares `change` only, and PostgreSQL may find first that the ids
 * are the same.
 */
const UNIQUE_VIOLATION = "23505";
const MAX_PENDING_ATTEMPTS = 5;
/** how long after a failed write the next one is tried */
const RETRY_MS = 2_000;

/** A row of `events` that is still to be written. */
type NewEventRow = NewEvent & {
  id: string;
  occurredAt: string;
  source: "service" | "store";
  /** Of an upload whose id is the mark of its object: when that object was seen in the store, and when it was stored there. ISO 8601 */
  seenAt?: string;
  storedAt?: string;
};

/** The member of a pending upload's data that says that its URL may store several contents. */
const REUSABLE = "reusable";

/** Members of an event as columns of a JSON recordset. */
const COLUMNS = `id uuid, type text, "companyId" text, "clientId" text, "visitorId" text, "visitorName" text, "requestId" text,
  bucket text, key text, data jsonb`;

/** A repeated attempt keeps the row of the first one. The author is that of the last attempt. */
const RECORD_PENDING = `
  INSERT INTO begun_events (id, change, type, begun_at, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key, data)
  SELECT id, change, type, ${NOW}, "companyId", "clientId", "visitorId", "visitorName", "requestId", bucket, key, data
  FROM jsonb_to_recordset($1) AS given(change text, ${COLUMNS})
  ON CONFLICT (change) DO UPDATE SET client_id = excluded.client_id, visitor_id = excluded.visitor_id,
    visitor_name = excluded.visitor_name, request_id = excluded.request_id, data = begun_events.data || excluded.data
  RETURNING id, change`;

/**
 * The part of a statement that adds a delivery for each endpoint that takes an event, unless the key that created it has ended. It ends within its WHERE, so that conditions and
 * ON CONFLICT may follow. docs/decisions/0114
 * Thumbnails are left out: opening one folder signs a hundred.
 * @param events the name of a table or a CTE with the columns of `events`
 */
export const insertDeliveriesOf = (events: string) => `
  INSERT INTO webhook_deliveries (endpoint_id, event_id, subject, source_subject, next_attempt_at, created_at)
  SELECT endpoint.id, event.id, md5(concat_ws(chr(31), bucket, key, database_id, campaign_id, recipient))::uuid,
    CASE WHEN data ? 'from' THEN md5(concat_ws(chr(31), bucket, data->>'from'))::uuid END,
    ${NOW}, ${NOW}
  FROM ${events} AS event JOIN webhook_endpoints AS endpoint ON endpoint."companyId" = event."companyId"
    AND endpoint.disabled_at IS NULL AND endpoint.types && ARRAY[type, split_part(type, '.', 1) || '.*', '*']
  WHERE data->>'purpose' IS DISTINCT FROM 'thumbnail'
    AND EXISTS (SELECT FROM embed_clients AS client WHERE client.id = endpoint.client_id AND ${IS_LIVE})`;

/** Types of events that leave an object at their key. */
const STORING = "'file.uploaded', 'file.copied', 'file.moved', 'file.restored'";

/**
 * The last event about a key before an object was seen there, or the first one after. `etag` is that of the object that the event left at
 * the key; null if it left none.
 */
const neighbor = (comparison: "<=" | ">", order: "ASC" | "DESC") => `(
    SELECT id, etag, occurred_at FROM (
      (SELECT id, occurred_at, CASE WHEN type IN (${STORING}) THEN coalesce(data->>'etag', given.data->>'etag') END AS etag FROM events
        WHERE bucket = given.bucket AND key = given.key AND type IN ('file.deleted', ${STORING}) AND occurred_at ${comparison} given."seenAt"
        ORDER BY occurred_at ${order}, id ${order} LIMIT 1)
      UNION ALL
      (SELECT id, occurred_at, NULL AS etag FROM events
        WHERE bucket = given.bucket AND type = 'file.moved' AND data->>'from' = given.key AND occurred_at > first.occurred_at AND occurred_at ${comparison} given."seenAt"
        ORDER BY occurred_at ${order}, id ${order} LIMIT 1)
    ) AS events_of_key ORDER BY occurred_at ${order}, id ${order} LIMIT 1
  )`;

/** In SQL, of `given`: an event of this version. Copies do not name theirs: they are recorded within minutes after it was stored. */
const HAS_EVENT_OF_VERSION = `EXISTS (SELECT FROM events WHERE bucket = given.bucket AND key = given.key AND type IN (${STORING}) AND (
    data->>'version' = given.data->>'version'
    OR (NOT data ? 'version' AND data->>'etag' = given.data->>'etag'
      AND (id = given.id OR occurred_at BETWEEN given."storedAt" - interval '5 s' AND given."storedAt" + interval '15 min'))
  ))`;

/**
 * Finds the uploads whose mark is the id of an event that tells of another content, or of the same one before it was deleted, moved away or
 * replaced. A URL has then stored something a second time, and that is an event of its own, with the author of the first.
 *
 * - A version that has an event is not found.
 * - Without versions, nothing is found if the events before and after say already that the key holds this content.
 * - While a copy, move or restore of the key is pending, nothing is found: it may have brought the object there, with its mark.
 */
const FIND_FURTHER_UPLOADS = `
  SELECT given.id AS mark, previous.id AS previous, given.source, given.bucket, given.key, given.data,
    greatest(given."occurredAt", previous.occurred_at + interval '1 ms')::text || 'Z' AS "occurredAt",
    first."companyId", first.client_id AS "clientId", first.visitor_id AS "visitorId", first.visitor_name AS "visitorName", first.request_id AS "requestId"
  FROM jsonb_to_recordset($1) AS given("occurredAt" timestamp, "seenAt" timestamp, "storedAt" timestamp, source text, ${COLUMNS})
    JOIN events AS first ON first.id = given.id AND (first.bucket, first.key) = (given.bucket, given.key)
      AND (first.occurred_at, first.data->>'etag') IS DISTINCT FROM (given."occurredAt", given.data->>'etag')
    LEFT JOIN LATERAL ${neighbor("<=", "DESC")} AS previous ON NOT given.data ? 'version'
    LEFT JOIN LATERAL ${neighbor(">", "ASC")} AS next ON NOT given.data ? 'version'
  WHERE CASE WHEN given.data ? 'version' THEN NOT ${HAS_EVENT_OF_VERSION}
      ELSE previous.etag IS DISTINCT FROM given.data->>'etag' AND next.etag IS DISTINCT FROM given.data->>'etag' END
    AND NOT EXISTS (SELECT FROM begun_events AS pending WHERE pending.bucket = given.bucket AND pending.type <> 'file.uploaded'
      AND (pending.key = given.key OR pending.data->>'from' = given.key))`;

/**
 * - `given`: the events to write, except those whose pending row has another key. A copied object keeps its source's upload mark, so its
 *   mark is the id of another object's event.
 * - `pending`: the pending rows. The author is taken from them, not from whoever reports the change.
 * - `ended`: deletes them, except those of uploads whose URL may store further contents.
 * - `written`: inserts the events. One whose id exists is left as it is, and goes to no webhook again.
 */
const RECORD = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($1)
      AS given("occurredAt" timestamp, source text, "campaignId" text, recipient text, ${COLUMNS})
    WHERE NOT EXISTS (SELECT FROM begun_events AS pending WHERE pending.id = given.id AND (pending.bucket, pending.key) <> (given.bucket, given.key))
  ), pending AS (
    SELECT * FROM begun_events WHERE id IN (SELECT id FROM given)
  ), ended AS (
    DELETE FROM begun_events WHERE id IN (SELECT id FROM given) AND NOT data ? '${REUSABLE}'
  ), written AS (
    INSERT INTO events (id, type, occurred_at, "companyId", client_id, visitor_id, visitor_name, request_id, bucket, key,
      campaign_id, recipient, data, source)
    SELECT given.id, given.type, given."occurredAt",
      coalesce(pending."companyId", given."companyId"), coalesce(pending.client_id, given."clientId"),
      CASE WHEN pending.id IS NULL THEN given."visitorId" ELSE pending.visitor_id END,
      CASE WHEN pending.id IS NULL THEN given."visitorName" ELSE pending.visitor_name END,
      coalesce(pending.request_id, given."requestId"), given.bucket, given.key,
      given."campaignId", given.recipient, given.data, given.source
    FROM given LEFT JOIN pending ON pending.id = given.id
    ON CONFLICT (id) DO NOTHING RETURNING *
  ) ${insertDeliveriesOf("written")}
  ON CONFLICT (endpoint_id, event_id) DO NOTHING`;

/**
 * The record of what happened. A change is written twice: before the store is asked (`recordPending`), and after the store has made it (`record`).
 * A crash between the two leaves a row that `npm run cleanup` resolves. README.md
 */
export class Events {
  readonly #database: Pick<Database, "$driverQuery">;
  readonly #pending: Batches<FileEvent & { id: string; change: string }, string>;
  readonly #waiting: { row: NewEventRow; written(): void }[] = [];
  #isWriting = false;
  /** the last write failed */
  #isFailing = false;
  #lost = 0;

  constructor(database: Pick<Database, "$driverQuery">) {
    this.#database = database;
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
   * Like `recordPending`, for an upload. The event's id is in the metadata of the uploaded object, so the store itself can tell which event it is.
   * @param isReusable the URL fits more than one content. The row then stays until `npm run cleanup` counts it as abandoned, because each
   * further content is an event of its own.
   * @throws AppError `unavailable`
   */
  async recordPendingUpload(id: string, event: FileEvent, isReusable = false): Promise<void> {
    const data = { ...event.data, ...(isReusable && { [REUSABLE]: true }) };
    await this.#pending.add({ ...event, data, id, change: id });
  }

  /** Like `recordPendingUpload`, but a database failure does not stop the upload. Its event is then written when the upload is confirmed. */
  async tryRecordPendingUpload(id: string, event: FileEvent, isReusable: boolean): Promise<void> {
    if (this.#isFailing) return;
    await waitBriefly(this.recordPendingUpload(id, event, isReusable));
  }

  /**
   * Writes that the store holds an upload of ours, as `record` does. The first content under a mark is the event with that id. Another one is
   * an event of its own, whose id follows from the mark, the content and what the record said before.
   * @param event `id`: the mark of the object; `data`: as the store describes it; `seenAt`: a moment at which the store held it, by our
   * clock before it was asked, or when it was stored; `storedAt`: by the store's clock
   */
  async recordUpload({
    seenAt,
    storedAt,
    ...event
  }: NewEvent & {
    id: string;
    seenAt: Date;
    storedAt: Date;
    occurredAt?: Date;
    source?: NewEventRow["source"];
  }): Promise<void> {
    const times = { seenAt: seenAt.toISOString(), storedAt: storedAt.toISOString() };
    await this.#write({ occurredAt: seenAt, ...event, ...times });
  }

  /**
   * Writes that something has happened. Never rejects: while the database is down, the event waits in memory. An event whose id exists
   * is not written again.
   * @param event `id`: as returned by `recordPending`, if there is a pending row; `occurredAt`: now, unless given
   * @returns resolves once the event is written, or after one second
   */
  async record(
    event: NewEvent & { id?: string; occurredAt?: Date; source?: NewEventRow["source"] },
  ): Promise<void> {
    await this.#write(event);
  }

  async #write({
    id = newEventId(),
    occurredAt = new Date(),
    source = "service",
    ...event
  }: NewEvent & { id?: string; occurredAt?: Date } & Partial<
      Pick<NewEventRow, "source" | "seenAt" | "storedAt">
    >) {
    if (this.#waiting.length >= MAX_WAITING_EVENTS) {
      if (this.#lost === 0)
        logError("The database has been unavailable for too long. Further events are discarded.");
      this.#lost += 1;
      return;
    }
    const written = new Promise<void>((resolve) => {
      const row = { ...event, id, occurredAt: occurredAt.toISOString(), source };
      this.#waiting.push({ row, written: resolve });
      if (!this.#isWriting) void this.#writeWaiting();
    });
    if (!this.#isFailing) await waitBriefly(written);
  }

  /** Deletes the pending row of a change that was not made. If that fails, `npm run cleanup` does it. */
  async discardPending(id: string): Promise<void> {
    await this.#database.$driverQuery("DELETE FROM begun_events WHERE id = $1", [id]).catch(() => {});
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
    const write = () =>
      this.#database.$driverQuery<{ id: string; change: string }>(RECORD_PENDING, [storable(sorted)]);
    const written = await this.#writeAgain(write);
    const ids = new Map(written.map(({ change, id }) => [change, id]));
    return rows.map(({ change, id }) => ids.get(change) ?? id);
  }

  /** Repeats a write that another process has only got in the way of. */
  async #writeAgain<Result>(write: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await write();
      } catch (error) {
        const isInTheWay = [DEADLOCK, UNIQUE_VIOLATION].includes(codeOf(error));
        if (!isInTheWay || attempt === MAX_PENDING_ATTEMPTS) throw error;
      }
    }
  }

  async #writeWaiting(): Promise<void> {
    this.#isWriting = true;
    // Requests of this turn of the event loop share the first write.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MAX_BATCH_EVENTS);
      try {
        await this.#insert(batch.map(({ row }) => row));
        this.#waiting.splice(0, batch.length);
        for (const { written } of batch) written();
        if (this.#isFailing) this.#logRecovered();
      } catch (thrown) {
        if (!this.#isFailing) logError("Events cannot be written. They wait for the database.", { thrown });
        this.#isFailing = true;
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
    this.#isWriting = false;
  }

  /** @throws AppError `unavailable` */
  async #insert(rows: NewEventRow[]): Promise<void> {
    try {
      await this.#database.$driverQuery(RECORD, [storable(rows)]);
      await this.#insertFurtherUploads(rows.filter(({ seenAt }) => seenAt !== undefined));
    } catch (thrown) {
      // All other failures may be temporary: a full disk, or a database that takes no writes for a moment.
      if (!unstorable.test(codeOf(thrown))) throw thrown;
      if (rows.length > 1) for (const row of rows) await this.#insert([row]);
      else logError(`An event of type ${rows[0]?.type} could not be stored: it is lost.`, { thrown });
    }
  }

  /** To be called when the first events of these uploads are written: the database then shows what each mark stands for. */
  async #insertFurtherUploads(uploads: NewEventRow[]): Promise<void> {
    if (uploads.length === 0) return;
    const further = await this.#database.$driverQuery<FurtherUpload>(FIND_FURTHER_UPLOADS, [
      storable(uploads),
    ]);
    if (further.length === 0) return;
    const rows = further.map(({ mark, previous, ...event }) => {
      const { etag, version } = event.data;
      const id = eventIdFrom(new Date(timeOfEventId(mark)), [mark, etag, version ?? previous]);
      return { ...event, id, type: "file.uploaded" };
    });
    await this.#database.$driverQuery(RECORD, [storable(rows)]);
  }

  #logRecovered(): void {
    this.#isFailing = false;
    const lost = this.#lost === 0 ? "None was lost." : `${this.#lost} were lost.`;
    logInfo(`Events are written again. ${lost}`);
    this.#lost = 0;
  }
}

/** A row that FIND_FURTHER_UPLOADS returns. */
interface FurtherUpload {
  /** of the object: the id of the first event */
  mark: string;
  /** the id of the event before it about the same key, in a bucket without versions, if there is one */
  previous: string | null;
  data: EventData;
}

/** Waits at most `MAX_WAIT_MS` for a write, which continues in any case. Never rejects. */
const waitBriefly = (written: Promise<void>) =>
  withinLimit(MAX_WAIT_MS, written, () => new Error("late")).catch(() => {});

/** UUID version 7: ids are in the order of their time. RFC 9562, section 5.7 */
export const newEventId = (): string => uuidv7();

/** The same id for what has the same `parts`, and in the order of `time`. */
export function eventIdFrom(time: Date, parts: readonly unknown[]): string {
  const random = hash("sha256", JSON.stringify(parts), "buffer").subarray(0, 16);
  return uuidv7({ msecs: time.getTime(), random });
}

/** Milliseconds since 1970 at which an event's id was made. RFC 9562, section 5.7 */
export const timeOfEventId = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

export const isEventId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);

/** As JSON. */
function storable(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
}
