import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../providers/database.server";
import { type EventFilter, findAllEvents } from "./find-events.server";
import type { StoredEvent } from "./stored-event.server";

/** How late an event may be written and still be seen. Those of a moment are not written in the order of their times. */
const OVERLAP_MS = 60_000;

/**
 * Yields the events that are written from now on, oldest first, until `signal` is aborted. Each poll reads the last minute again, and leaves
 * out what the poll before has read.
 */
export async function* followEvents(
  database: Pick<Database, "$driverQuery">,
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
