import { z } from "zod";
import { readSignedValue, signValue } from "../embed/signed-value.server";
import type { Env } from "../env/env.server";
import { invalidRequest } from "../shared/app-error";
import { type EventFilter, type EventPosition, eventFilterSchema } from "./event-filter.server";
import { findEvents } from "./find-events.server";
import type { ReadEvents } from "./find-events.sql.server";
import { eventSchema } from "./stored-event.server";

export const DEFAULT_LIMIT = 100;

/** The query of `GET /api/events`. */
export const eventsQuerySchema = eventFilterSchema.extend({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000)
    .describe("how many events; 100 unless given, and all of them in a stream")
    .optional(),
  cursor: z.string().describe("from the response before, with the same filters").optional(),
});

export type EventsQuery = z.output<typeof eventsQuerySchema>;

export const eventsPageSchema = z.object({
  events: z.array(eventSchema),
  cursor: z.string().nullable().describe("for the next page; null at the end"),
});

type Secrets = Readonly<Env["embedSigningSecrets"]>;

/** Lists one page of events, newest first. @throws AppError `invalid_request` for a cursor of other filters */
export async function listEvents(
  { cursor, limit = DEFAULT_LIMIT, ...filter }: EventsQuery & EventFilter,
  { database, signingSecrets }: { database: ReadEvents; signingSecrets: Secrets },
): Promise<z.input<typeof eventsPageSchema>> {
  const position = cursor === undefined ? undefined : readCursor(cursor, filter, signingSecrets);
  const found = await findEvents(database, filter, { limit: limit + 1, position });
  const events = found.slice(0, limit);
  const last = found.length > limit ? events.at(-1) : undefined;
  return { events, cursor: last === undefined ? null : signCursor(last, filter, signingSecrets) };
}

const positionSchema = z.object({ occurredAt: z.string(), id: z.string() });

function signCursor({ occurredAt, id }: EventPosition, filter: EventFilter, [secret]: Secrets): string {
  return signValue({ occurredAt, id }, secret, purposeOf(filter));
}

/** @throws AppError `invalid_request` when the cursor was not signed by us, or for other filters */
export function readCursor(cursor: string, filter: EventFilter, secrets: Secrets): EventPosition {
  const { data } = positionSchema.safeParse(readSignedValue(cursor, secrets, purposeOf(filter)));
  if (data === undefined)
    throw invalidRequest([{ path: "cursor", message: "is not what these filters returned" }]);
  return data;
}

/** A cursor is signed for its filters, so it opens no other company's events. */
function purposeOf({ companyId, type, visitor, bucket, prefix, key, after, before }: EventFilter): string {
  return `events ${JSON.stringify([companyId, type, visitor, bucket, prefix, key, after, before])}`;
}
