import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { companyIdSchema } from "../embed/company.server";
import { visitorSchema } from "../embed/visitor";
import type { Database } from "../providers/database.server";
import { type EventType, eventTypes, fileEventTypes } from "./event";
import { type EventReach, hideSource } from "./event-reach.server";
import { EVENT_COLUMNS, type EventRow, type StoredEvent, toEvent } from "./stored-event.server";

/** milliseconds; times before it are written with four digits for the year */
const YEAR_10_000 = Date.UTC(10_000, 0);

/** ISO 8601 with a time zone, as UTC. */
export const timeSchema = z.iso
  .datetime({ offset: true, abort: true })
  .refine(
    (text) => Date.parse(text) >= 0 && Date.parse(text) < YEAR_10_000,
    "must be in the years 1970 to 9999",
  )
  .transform((text) => new Date(text).toISOString());

/** PostgreSQL takes no NUL, not even to compare with. */
const textSchema = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\0]*$/, "must not contain a null character");

const typesSchema = z.string().transform((text, context): EventType[] => {
  const names = text.split(",");
  const unknown = names.find((name) => !eventTypes.some((type) => isNamed(type, name)));
  if (unknown !== undefined) {
    context.addIssue({
      code: "custom",
      message: `must be types of events, separated by commas: ${eventTypes.join(", ")}, or a family like file.*`,
    });
    return z.NEVER;
  }
  return eventTypes.filter((type) => names.some((name) => isNamed(type, name)));
});

/** @param name a type, or a family such as `file.*` */
function isNamed(type: EventType, name: string): boolean {
  return name === type || (name.endsWith(".*") && type.startsWith(name.slice(0, -1)));
}

/** Which events are wanted: those that match every member. */
export const eventFilterSchema = z.strictObject({
  companyId: companyIdSchema
    .describe("with an API key only its own company; with the bearer token any, or all without it")
    .optional(),
  type: typesSchema
    .describe("one type, several separated by commas, or a family such as `file.*`")
    .optional(),
  visitor: visitorSchema.shape.id.describe("a visitor's id").optional(),
  bucket: textSchema(255).optional(),
  prefix: textSchema(1_024).describe("what the key begins with").optional(),
  key: textSchema(1_024).describe("the whole key").optional(),
  after: timeSchema.describe("events of this time or later; ISO 8601").optional(),
  before: timeSchema.describe("events earlier than this time; ISO 8601").optional(),
});

export type EventFilter = z.output<typeof eventFilterSchema> & {
  /** what the caller may read; everything without it */
  reach?: EventReach | undefined;
};

/** The event after which a page begins, in the order of `findEvents`. */
export type EventPosition = Pick<StoredEvent, "occurredAt" | "id">;

/** The order of all indexes that are read for it. `id` orders events of the same millisecond. */
const NEWEST_FIRST = "ORDER BY occurred_at DESC, id DESC";

/** Reads one page, newest first, by one statement. */
export async function findEvents(
  database: Pick<Database, "$driverQuery">,
  filter: EventFilter,
  { limit, position }: { limit: number; position?: EventPosition | undefined },
): Promise<StoredEvent[]> {
  const { statement, values } = selectEvents(filter, limit, position);
  const events = (await database.$driverQuery<EventRow>(statement, values)).map(toEvent);
  const { reach } = filter;
  return reach === undefined ? events : events.map((event) => hideSource(event, reach));
}

/** events that one statement reads, far within its time limit */
const PAGE_EVENTS = 1_000;

/** Reads all matching events page by page, newest first: the next page only when it is wanted. */
export async function* findAllEvents(
  database: Pick<Database, "$driverQuery">,
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

/** Folders that are read one by one, each by its own index, and merged. With more of them, all events of the company are compared. */
const MAX_MERGED_FOLDERS = 20;

/** Conditions of one part of a reach, and the types that the part can have; undefined for all. */
interface Source {
  conditions: readonly string[];
  types: readonly EventType[] | undefined;
  /** it has few events, so types need not be read in their own order */
  isNarrow: boolean;
}

/** README.md says which index each filter is read by. */
export function selectEvents(
  { companyId, type: types, visitor, bucket, prefix, key, after, before, reach = "company" }: EventFilter,
  limit: number,
  position?: EventPosition,
): { statement: string; values: unknown[] } {
  const values: unknown[] = [];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const beginsWith = (text: string) => `key LIKE ${parameter(`${text.replace(/[\\%_]/g, "\\$&")}%`)}`;
  const conditions: string[] = [];
  if (companyId !== undefined) conditions.push(`"companyId" = ${parameter(companyId)}`);
  if (visitor !== undefined) conditions.push(`visitor_id = ${parameter(visitor)}`);
  if (bucket !== undefined) conditions.push(`bucket = ${parameter(bucket)}`);
  if (prefix !== undefined) conditions.push(beginsWith(prefix));
  if (key !== undefined) conditions.push(`key = ${parameter(key)}`);
  if (after !== undefined) conditions.push(`occurred_at >= ${parameter(after)}::timestamp`);
  if (before !== undefined) conditions.push(`occurred_at < ${parameter(before)}::timestamp`);
  if (position !== undefined) {
    const { occurredAt, id } = position;
    conditions.push(`(occurred_at, id) < (${parameter(occurredAt)}::timestamp, ${parameter(id)}::uuid)`);
  }
  const ending = `${NEWEST_FIRST} LIMIT ${parameter(limit)}`;
  const isFiltered = visitor !== undefined || prefix !== undefined || key !== undefined;
  const sources = sourcesOf(reach).flatMap((source) => {
    const all = [...conditions, ...source.conditions];
    if (source.types === undefined) return [all];
    // Each type is read in its own order and up to the limit, and these are merged: `type IN (…)` would sort all events of the types.
    const isMerged = !isFiltered && !source.isNarrow;
    if (isMerged) return source.types.map((type) => [...all, `type = ${parameter(type)}`]);
    return [[...all, `type = ANY(${parameter(source.types)})`]];
  });
  // A key that may read nothing.
  if (sources.length === 0) sources.push([...conditions, "false"]);
  const selected = sources.map(
    (all) => `(SELECT * FROM events ${all.length > 0 ? `WHERE ${all.join(" AND ")}` : ""} ${ending})`,
  );
  // The folders of a reach may overlap.
  const union = reach === "company" ? " UNION ALL " : " UNION ";
  const found = selected.join(union);
  return { statement: `SELECT ${EVENT_COLUMNS} FROM (${found}) AS found ${ending}`, values };

  function sourcesOf(reach: EventReach): Source[] {
    if (reach === "company") return [{ conditions: [], types, isNarrow: false }];
    const others = eventTypes.filter((type) => !isOfFile(type) && (types ?? eventTypes).includes(type));
    const isOfFiles = bucket !== undefined || prefix !== undefined || key !== undefined;
    const ofOthers = reach.others && !isOfFiles ? [{ conditions: [], types: others, isNarrow: false }] : [];
    const folders = reach.folders.flatMap((folder) =>
      folder.buckets.filter((name) => name === (bucket ?? name)).map((name) => ({ ...folder, bucket: name })),
    );
    const ofFolders = folders.map(({ bucket: name, prefix: begin, clientId }) => ({
      conditions: [
        `bucket = ${parameter(name)}`,
        ...(begin === "" ? [] : [beginsWith(begin)]),
        ...(clientId === undefined ? [] : [`client_id = ${parameter(clientId)}`]),
      ],
      types,
      isNarrow: begin !== "" || clientId !== undefined,
    }));
    if (ofFolders.length <= MAX_MERGED_FOLDERS) return [...ofFolders, ...ofOthers];
    const any = ofFolders.map(({ conditions }) => `(${conditions.join(" AND ")})`).join(" OR ");
    return [{ conditions: [`(${any})`], types, isNarrow: true }, ...ofOthers];
  }
}

const isOfFile = (type: EventType) => fileEventTypes.some((one) => one === type);

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
