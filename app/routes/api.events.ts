import { z } from "zod";
import type { EmbedClient } from "../embed/embed-clients.server";
import { reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import type { EventFilter } from "../events/event-filter.server";
import { type EventFormatName, eventFormats, formatEvents } from "../events/event-formats.server";
import { findAllEvents } from "../events/find-events.server";
import {
  DEFAULT_LIMIT,
  type EventsQuery,
  eventsPageSchema,
  eventsQuerySchema,
  listEvents,
  readCursor,
} from "../events/list-events.server";
import { apiRoute } from "../http/api-route.server";
import type { AppContext } from "../http/app-context.server";
import { apiKeyOrBearerToken } from "../http/auth.server";
import { endpoint } from "../http/endpoint.server";
import { EVENTS_OF_ONE_REQUEST, furtherRequestsOf } from "../http/rate-limits.server";
import { FURTHER_REQUESTS_OF_STREAM, streamText } from "../http/stream-text.server";
import { AppError } from "../shared/app-error";
import type { RequestContext } from "../shared/request-context.server";

const formats = Object.entries(eventFormats) as [EventFormatName, { mediaType: string }][];

const acceptSchema = z.string().describe("`application/x-ndjson` or `text/csv`: a stream of all events");

/** `GET /api/events`: what happened, newest first; a page, or all of it as a stream. */
export const { loader, action, contract } = apiRoute("api", "/api/events", {
  GET: endpoint({
    operationId: "listEvents",
    summary: "List what happened, newest first, or stream all of it",
    auth: apiKeyOrBearerToken,
    headers: z.object({ Accept: acceptSchema.optional() }),
    query: eventsQuerySchema,
    responses: { 200: eventsPageSchema },
    mediaTypes: formats.map(([, { mediaType }]) => mediaType),
    errors: ["scope_not_allowed"],
    async handle({ query, headers: { Accept = "" }, caller, request, app, context, countFurther }) {
      const [format] = formats.find(([, { mediaType }]) => Accept.includes(mediaType)) ?? [];
      const { limit = DEFAULT_LIMIT } = query;
      await countFurther(
        format === undefined ? furtherRequestsOf(limit, EVENTS_OF_ONE_REQUEST) : FURTHER_REQUESTS_OF_STREAM,
      );
      const wanted = restrictTo(caller, query, app.services);
      if (format !== undefined) {
        const check = async () => caller && app.embedClients.find(request.headers.get("X-Api-Key"));
        return streamEvents(wanted, format, { identity: caller?.id ?? "", check }, app, context);
      }
      return listEvents(wanted, { database: app.database, signingSecrets: app.env.embedSigningSecrets });
    },
  }),
});

/** @throws AppError `scope_not_allowed` */
function restrictTo(
  client: EmbedClient | undefined,
  query: EventsQuery,
  services: ServiceRegistry,
): EventsQuery & EventFilter {
  if (client === undefined) return query;
  const { companyId } = client;
  if (query.companyId !== undefined && query.companyId !== companyId) {
    throw new AppError("scope_not_allowed", "An API key reads only the events of its own company.");
  }
  return { ...query, companyId, reach: reachOfKey(client, services) };
}

function streamEvents(
  { cursor, limit, ...filter }: EventsQuery & EventFilter,
  format: EventFormatName,
  caller: Parameters<typeof streamText>[1],
  { database, env, now }: AppContext,
  context: RequestContext,
): Promise<Response> {
  const position = cursor === undefined ? undefined : readCursor(cursor, filter, env.embedSigningSecrets);
  const events = findAllEvents(database, filter, { limit, position });
  const day = new Date(now() * 1000).toISOString().slice(0, 10);
  return streamText(formatEvents(events, eventFormats[format]), caller, context, {
    "Content-Type": `${eventFormats[format].mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="events-${day}.${format}"`,
  });
}
