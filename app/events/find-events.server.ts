import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../providers/database.server";
import type { EventFilter, EventPosition } from "./event-filter.server";
import { hideSource } from "./event-reach.server";
import { type ReadEvents, readEvents } from "./find-events.sql.server";
import { type StoredEvent, toEvent } from "./stored-event.server";

/** Reads one page, newest first, by one statement. */
export async function findEvents(
  database: ReadEvents,
  filter: EventFilter,
  { limit, position }: { limit: number; position?: EventPosition | undefined },
): Promise<StoredEvent[]> {
  const events = (await readEvents(database, filter, limit, position)).map(toEvent);
  const { reach } = filter;
  return reach === undefined ? events : events.map((event) => hideSource(event, reach));
}

/** Events by their ids, in no order. @param companyId of any company without it */
export async function findEventsById(
  database: Pick<Database, "event">,
  ids: string[],
  companyId?: string,
): Promise<StoredEvent[]> {
  const rows = await database.event.findMany({ where: { id: { in: ids }, companyId } });
  return rows.map(({ occurredAt, data, ...row }) =>
    toEvent({ ...row, occurredAt: occurredAt.toISOString(), data: Object(data) }),
  );
}

/** events that one statement reads, far within its time limit */
const PAGE_EVENTS = 1_000;

/** Reads all matching events page by page, newest first: the next page only when it is wanted. */
export async function* findAllEvents(
  database: ReadEvents,
  filter: EventFilter,
  {
    limit = Number.POSITIVE_INFINITY,
    position,
  }: { limit?: number | undefined; position?: EventPosition | undefined } = {},
): AsyncGenerator<StoredEvent[], void> {
  for (let [left, last] = [limit, position]; left > 0; ) {
    const wanted = Math.min(left, PAGE_EVENTS);
    const events = await findEvents(database, filter, { limit: wanted, position: last });
    if (events.length > 0) yield events;
    if (events.length < wanted) return;
    left -= wanted;
    last = events.at(-1);
  }
}

/** How late an event may be written and still be seen. Those of a moment are not written in the order of their times. */
const OVERLAP_MS = 60_000;

/**
 * Yields the events that are written from now on, oldest first, until `signal` is aborted. Each poll reads the last minute again, and leaves
 * out what the poll before has read.
 */
export async function* followEvents(
  database: ReadEvents,
  filter: Omit<EventFilter, "after" | "before">,
  { signal, pollMs = 1_000 }: { signal: AbortSignal; pollMs?: number },
): AsyncGenerator<StoredEvent[], void> {
  const readRecent = async () => {
    const after = new Date(Date.now() - OVERLAP_MS).toISOString();
    const recent = [];
    for await (const events of findAllEvents(database, { ...filter, after })) recent.push(...events);
    return recent;
  };
  const idsOf = (events: StoredEvent[]) => new Set(events.map(({ id }) => id));
  for (let seen = idsOf(await readRecent()); !signal.aborted; ) {
    const recent = await readRecent();
    const unseen = recent.filter(({ id }) => !seen.has(id)).reverse();
    if (unseen.length > 0) yield unseen;
    seen = idsOf(recent);
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}
