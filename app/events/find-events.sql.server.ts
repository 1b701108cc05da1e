import { z } from "zod";
import type { Database } from "../providers/database.server";
import { joinSql, type Sql, sql } from "../providers/sql.server";
import { type EventType, eventTypes, fileEventTypes, usageEventTypes } from "./event";
import type { EventFilter, EventPosition } from "./event-filter.server";
import type { EventReach } from "./event-reach.server";
import type { EventRow } from "./stored-event.server";

/** What reads events has to wait for its turn. */
export type ReadEvents = Pick<Database, "$queryInTurn">;

/** Times are columns without a time zone, which the driver would read in that of this process. */
export const EVENT_COLUMNS: Sql = sql`id, type, to_char(occurred_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt", "companyId",
  client_id AS "clientId", visitor_id AS "visitorId", visitor_name AS "visitorName", bucket, key, database_id AS "databaseId",
  campaign_id AS "campaignId", recipient, data, source`;

const text = z.string().nullable();

/** A row of `events`, as `EVENT_COLUMNS` selects it. */
export const eventRowSchema = z.object({
  id: z.string(),
  type: z.string(),
  occurredAt: z.string(),
  companyId: text,
  clientId: text,
  visitorId: text,
  visitorName: text,
  bucket: text,
  key: text,
  databaseId: text,
  campaignId: text,
  recipient: text,
  data: z.looseObject({}),
  source: z.string(),
}) satisfies z.ZodType<EventRow>;

/** One page, newest first. SQL, as `selectEvents`. */
export const readEvents = (
  database: ReadEvents,
  filter: EventFilter,
  limit: number,
  position?: EventPosition,
): Promise<EventRow[]> =>
  database.$queryInTurn(callerOf(filter), selectEvents(filter, limit, position), eventRowSchema);

/** A command of an operator reads those of all companies. */
const callerOf = ({ companyId = "" }: EventFilter) => companyId;

const visitorRowSchema = z.object({ id: z.string(), name: text });

/** The visitors of the newest events, each with the name that it had last. SQL, because the events themselves would be read for two columns. */
export const readVisitors = (
  database: ReadEvents,
  filter: EventFilter,
  newest: number,
): Promise<z.infer<typeof visitorRowSchema>[]> =>
  database.$queryInTurn(
    callerOf(filter),
    sql`
      SELECT DISTINCT ON ("visitorId") "visitorId" AS id, "visitorName" AS name FROM (${selectEvents(filter, newest)}) AS newest
      WHERE "visitorId" IS NOT NULL ORDER BY "visitorId", "occurredAt" DESC, newest.id DESC`,
    visitorRowSchema,
  );

/** An e-mail has a handful of events. */
const MAX_EVENTS_OF_MESSAGE = 100;

/**
 * The events of an e-mail, oldest first. SQL, because its plan matters: with the limit in the same query, which is why it is materialized,
 * PostgreSQL would read the events by time until it has found enough. Exported for tests of the plan.
 */
export const selectEventsOfMessage = (messageId: string): Sql => sql`
  WITH found AS MATERIALIZED (SELECT * FROM events WHERE data ? 'messageId' AND data ->> 'messageId' = ${messageId})
  SELECT ${EVENT_COLUMNS} FROM found ORDER BY occurred_at, id LIMIT ${MAX_EVENTS_OF_MESSAGE}`;

/** SQL, as `selectEventsOfMessage`. */
export const readEventsOfMessage = (
  database: Pick<Database, "$driverQuery">,
  messageId: string,
): Promise<EventRow[]> => database.$driverQuery(selectEventsOfMessage(messageId), eventRowSchema);

/** The order of all indexes that are read for it. `id` orders events of the same millisecond. */
const NEWEST_FIRST = sql`ORDER BY occurred_at DESC, id DESC`;

/** Folders that are read one by one, each by its own index, and merged. With more of them, all events of the company are compared. */
const MAX_MERGED_FOLDERS = 20;

/** Conditions of one part of a reach, and the types that the part can have; undefined for all. */
interface Source {
  conditions: readonly Sql[];
  types: readonly EventType[] | undefined;
  /** it has few events, so types need not be read in their own order */
  isNarrow: boolean;
}

/** SQL, because its plan matters: README.md says which index each filter is read by. Exported for tests of the plan. */
export function selectEvents(
  { companyId, type: types, visitor, bucket, prefix, key, after, before, reach = "company" }: EventFilter,
  limit: number,
  position?: EventPosition,
): Sql {
  const conditions: Sql[] = [];
  if (companyId !== undefined) conditions.push(sql`"companyId" = ${companyId}`);
  if (visitor !== undefined) conditions.push(sql`visitor_id = ${visitor}`);
  if (bucket !== undefined) conditions.push(sql`bucket = ${bucket}`);
  if (prefix !== undefined) conditions.push(beginsWith(prefix));
  if (key !== undefined) conditions.push(sql`key = ${key}`);
  if (after !== undefined) conditions.push(sql`occurred_at >= ${after}::timestamp`);
  if (before !== undefined) conditions.push(sql`occurred_at < ${before}::timestamp`);
  if (position !== undefined) {
    const { occurredAt, id } = position;
    conditions.push(sql`(occurred_at, id) < (${occurredAt}::timestamp, ${id}::uuid)`);
  }
  const ending = sql`${NEWEST_FIRST} LIMIT ${limit}`;
  const isFiltered = visitor !== undefined || prefix !== undefined || key !== undefined;
  const sources = sourcesOf(reach).flatMap((source) => {
    const all = [...conditions, ...source.conditions];
    if (source.types === undefined) return [all];
    // Each type is read in its own order and up to the limit, and these are merged: `type IN (…)` would sort all events of the types.
    const isMerged = !isFiltered && !source.isNarrow;
    if (isMerged) return source.types.map((type) => [...all, sql`type = ${type}`]);
    return [[...all, sql`type = ANY(${source.types})`]];
  });
  // A key that may read nothing.
  if (sources.length === 0) sources.push([...conditions, sql`false`]);
  const selected = sources.map((all) => sql`(SELECT * FROM events WHERE ${allOf(all)} ${ending})`);
  // The folders of a reach may overlap.
  const found = joinSql(selected, reach === "company" ? " UNION ALL " : " UNION ");
  return sql`SELECT ${EVENT_COLUMNS} FROM (${found}) AS found ${ending}`;

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
        sql`bucket = ${name}`,
        ...(begin === "" ? [] : [beginsWith(begin)]),
        ...(clientId === undefined ? [] : [sql`client_id = ${clientId}`]),
      ],
      types,
      isNarrow: begin !== "" || clientId !== undefined,
    }));
    const allPaths = arePathsIn(folders);
    if (ofFolders.length <= MAX_MERGED_FOLDERS)
      return [
        ...ofFolders.map((source) => ({ ...source, conditions: [...source.conditions, allPaths] })),
        ...ofOthers,
      ];
    const any = ofFolders.map(({ conditions }) => sql`(${allOf(conditions)})`);
    return [{ conditions: [sql`(${joinSql(any, " OR ")})`, allPaths], types, isNarrow: true }, ...ofOthers];
  }
}

/** Of the event of a quota: all of its folders are in these, in each of its buckets. True of any other event. */
function arePathsIn(
  folders: readonly { bucket: string; prefix: string; clientId?: string | undefined }[],
): Sql {
  const column = <Value>(read: (folder: (typeof folders)[number]) => Value) => folders.map(read);
  const given = sql`unnest(${column(({ bucket }) => bucket)}::text[], ${column(({ prefix }) => prefix)}::text[], ${column(({ clientId }) => clientId ?? null)}::text[])`;
  return sql`(type <> 'usage.threshold' OR NOT EXISTS (
    SELECT FROM jsonb_array_elements_text(data -> 'paths') AS path, jsonb_array_elements_text(coalesce(data -> 'buckets', jsonb_build_array(events.bucket))) AS counted
    WHERE NOT EXISTS (
      SELECT FROM ${given} AS folder(bucket, prefix, client_id)
      WHERE folder.bucket = counted AND (folder.client_id IS NULL OR folder.client_id = events.client_id)
        AND starts_with(CASE WHEN path = '/' THEN '' WHEN path LIKE '%/' THEN substr(path, 2) ELSE substr(path, 2) || '/' END, folder.prefix))))`;
}

const beginsWith = (text: string) => sql`key LIKE ${`${text.replace(/[\\%_]/g, "\\$&")}%`}`;

const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : joinSql([...conditions], " AND ");

/** Its subject is in a bucket. */
const isOfFile = (type: EventType) => [...fileEventTypes, ...usageEventTypes].some((one) => one === type);
