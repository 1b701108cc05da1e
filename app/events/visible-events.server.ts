import { z } from "zod";
import type { Visitor } from "../embed/visitor";
import { usageEventTypes } from "./event";
import { type EventFilter, eventFilterSchema } from "./event-filter.server";
import { findAllEvents } from "./find-events.server";
import { type ReadEvents, readVisitors } from "./find-events.sql.server";
import { listEvents } from "./list-events.server";
import { eventSchemas, type StoredEvent } from "./stored-event.server";

/** What the holder of an embed token may see: events of the company, in a bucket and below a folder if the token names them. */
export interface Reach {
  companyId: string;
  bucket: string | undefined;
  /** what the keys begin with; empty for the whole bucket */
  prefix: string;
}

/** A filter inside a reach: `prefix` or `key`, where given, must begin with `reach.prefix`. */
export type VisibleEventsFilter = Omit<EventFilter, "companyId" | "bucket">;

type UsageEventType = (typeof usageEventTypes)[number];

type Settings = Parameters<typeof listEvents>[1];

const { type, visitor, after, before } = eventFilterSchema.shape;

/** The filters that a person may set. */
export const visibleEventFilters = { type, visitor, after, before };

const DEFAULT_LIMIT = 50;

/** Which page of them. */
export const visibleEventsPaging = {
  cursor: z.string().max(2_048).describe("from the response before, with the same filters").optional(),
  limit: z.int().min(1).max(200).default(DEFAULT_LIMIT),
};

/** The integrator's own ids, which visitors do not need. */
const internal = { companyId: true, clientId: true } as const;

const visibleEventSchema = z
  .discriminatedUnion("type", [
    eventSchemas.file.omit(internal).meta({
      id: "VisibleFileEvent",
      description: "`key` is empty if the file is now outside of what the token reaches",
    }),
    eventSchemas.email.omit(internal).meta({ id: "VisibleEmailEvent" }),
    eventSchemas.database.omit(internal).meta({ id: "VisibleDatabaseEvent" }),
  ])
  .meta({ id: "VisibleEvent" });

export const visibleEventsSchema = z.object({
  events: z.array(visibleEventSchema),
  cursor: z.string().nullable().describe("for the next page; null at the end"),
});

/** An event as the browser gets it. */
export type VisibleEvent = z.infer<typeof visibleEventSchema>;
export type VisibleEvents = z.infer<typeof visibleEventsSchema>;

/** Lists one page, newest first. @throws AppError `invalid_request` for a cursor of other filters */
export async function listVisibleEvents(
  filter: VisibleEventsFilter,
  page: { cursor?: string | undefined; limit?: number | undefined },
  reach: Reach,
  settings: Settings,
): Promise<VisibleEvents> {
  const { events, cursor } = await listEvents(
    { limit: DEFAULT_LIMIT, ...page, ...within(filter, reach) },
    settings,
  );
  return {
    events: events.filter(isForVisitors).map((event) => {
      const { companyId: _, clientId: __, ...visible } = hideOutside(event, reach);
      return visible;
    }),
    cursor,
  };
}

/** Reads all of them page by page, newest first. */
export async function* findVisibleEvents(
  filter: VisibleEventsFilter,
  reach: Reach,
  database: ReadEvents,
): AsyncGenerator<StoredEvent[], void> {
  for await (const events of findAllEvents(database, within(filter, reach))) {
    yield events.filter(isForVisitors).map((event) => hideOutside(event, reach));
  }
}

/** How many recent events are scanned for visitors. */
const RECENT_EVENTS = 2_000;

/** The visitors of the most recent events by name, each with the latest name. */
export async function findRecentVisitors(reach: Reach, database: ReadEvents): Promise<Visitor[]> {
  const rows = await readVisitors(database, within({}, reach), RECENT_EVENTS);
  const visitors = rows.map(({ id, name }): Visitor => ({ id, ...(name !== null && { name }) }));
  const nameOf = ({ id, name = id }: Visitor) => name;
  return visitors.sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
}

/** How full a quota is concerns the integrator: it tells of folders that a visitor may not see. */
const isForVisitors = (event: StoredEvent): event is Exclude<StoredEvent, { type: UsageEventType }> =>
  !usageEventTypes.some((type) => type === event.type);

/** The events that match the filter and are in the reach. */
function within(filter: VisibleEventsFilter, { companyId, bucket, prefix: reached }: Reach): EventFilter {
  const { key, prefix = reached } = filter;
  if (!(key ?? prefix).startsWith(reached)) throw new Error("The filter reaches further than the token.");
  const isNarrowed = key === undefined && prefix !== "";
  return { ...filter, companyId, bucket, prefix: isNarrowed ? prefix : undefined };
}

/** A file may have been moved into the folder, or out of it: the other place stays unknown. */
function hideOutside<Event extends Exclude<StoredEvent, { type: UsageEventType }>>(
  event: Event,
  { prefix }: Reach,
) {
  if (!isOfFile(event)) return event;
  const { subject, data } = event;
  const { from, ...withoutFrom } = data;
  const isKnown = (key: string) => key.startsWith(prefix);
  return {
    ...event,
    subject: isKnown(subject.key) ? subject : { ...subject, key: "" },
    data: from === undefined || isKnown(from) ? data : withoutFrom,
  };
}

/** `in` narrows `event.subject`, but not `event`. */
const isOfFile = (event: StoredEvent): event is z.infer<typeof eventSchemas.file> => "key" in event.subject;
