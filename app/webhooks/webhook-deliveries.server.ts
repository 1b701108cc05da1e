import { NIL } from "uuid";
import { z } from "zod";
import { reachOfKey } from "../embed/reach-of-key.server";
import type { ServiceRegistry } from "../embed/service";
import { timeSchema } from "../events/event-filter.server";
import { type EventReach, isInReach } from "../events/event-reach.server";
import { isEventId, newEventId } from "../events/events.server";
import { findEventsById } from "../events/find-events.server";
import { type StoredEvent, toEvent } from "../events/stored-event.server";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { type SendResult, sendWebhook, type TestEvent } from "./send-webhook.server";
import { assertKeyIsLive, findEndpoint, type WebhookSettings, type Which } from "./webhook-endpoints.server";
import { openWebhookSecrets } from "./webhook-secret.server";
import { findEventsAfter, requeueEvents } from "./webhooks.sql.server";

const MAX_LISTED_DELIVERIES = 200;
/** Of one request. The caller goes on where it has ended. */
export const MAX_REPLAYED_EVENTS = 10_000;
const REPLAY_PAGE_EVENTS = 2_000;

/** The query of `GET /api/webhooks/{id}/deliveries`. */
export const deliveriesQuerySchema = z.strictObject({
  failed: z.enum(["true", "false"]).default("false").describe("only those that have failed, at least so far"),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED_DELIVERIES).default(50),
});

/** The delivery of an event to an endpoint. */
export const deliverySchema = z
  .object({
    eventId: z.string(),
    type: z.string().nullable().describe("null if the event was deleted, or the API key may not read it"),
    subject: z.unknown().describe("as in the event, or null as `type`"),
    status: z.enum(["pending", "delivered", "failed"]).describe("failed after the tenth attempt"),
    attempts: z.int().describe("that have ended"),
    lastStatus: z.int().nullable().describe("the HTTP status of the last response"),
    error: z.string().nullable().describe("of the last attempt, or why none is made"),
    createdAt: z.iso.datetime(),
    nextAttemptAt: z.iso.datetime().nullable().describe("null at the end, and while the webhook is off"),
    deliveredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "WebhookDelivery" });

/**
 * The deliveries of an endpoint, newest first. Test messages are not among them.
 * @param failed only those that have failed, at least so far
 * @param reach what the caller may read; everything without it
 * @throws AppError as `findEndpoint`
 */
export async function listDeliveries(
  database: Database,
  which: Which,
  { failed = false, limit, reach = "company" }: { failed?: boolean; limit: number; reach?: EventReach },
): Promise<z.infer<typeof deliverySchema>[]> {
  const { id: endpointId, disabledAt, disabledReason } = await findEndpoint(database, which);
  const found = await database.webhookDelivery.findMany({
    where: { endpointId, ...(failed && { error: { not: null } }) },
    orderBy: { eventId: "desc" },
    take: limit,
  });
  const ids = found.map(({ eventId }) => eventId);
  const readable = (await findEventsById(database, ids)).filter((event) => isInReach(event, reach));
  const events = new Map(readable.map((event) => [event.id, event]));
  return found.map(
    ({ eventId, status, attempts, lastStatus, error, createdAt, nextAttemptAt, deliveredAt }) => ({
      eventId,
      type: events.get(eventId)?.type ?? null,
      subject: events.get(eventId)?.subject ?? null,
      // The column has a CHECK.
      status: status as z.infer<typeof deliverySchema>["status"],
      attempts,
      lastStatus,
      // Nothing is sent while the endpoint is off.
      error: error ?? (status === "pending" ? disabledReason : null),
      createdAt: createdAt.toISOString(),
      nextAttemptAt: disabledAt === null ? (nextAttemptAt?.toISOString() ?? null) : null,
      deliveredAt: deliveredAt?.toISOString() ?? null,
    }),
  );
}

/** The body of `POST /api/webhooks/{id}/replay`. */
export const replaySchema = z
  .strictObject({
    eventIds: z.array(z.string()).min(1).max(1_000).optional(),
    since: timeSchema.optional().describe("ISO 8601 with a time zone"),
  })
  .refine(({ eventIds, since }) => (eventIds === undefined) !== (since === undefined), {
    message: "needs eventIds or since, and not both",
  });

export const replayedSchema = z.object({
  count: z.int().describe("how many events are sent again"),
  skipped: z
    .array(z.string())
    .describe("those of eventIds that the company does not have, or the webhook or its API key does not get"),
  next: z.iso
    .datetime()
    .nullable()
    .describe("`since` of the next request, if there were too many for one; null at the end"),
});

/**
 * Sends events again: those that are named, or those since a time that were not delivered, also if they happened while the endpoint was off or
 * before it was created. At most 10,000 of a time are looked at.
 * @throws AppError as `findEndpoint`, and `webhook_disabled`
 */
export async function replayEvents(
  database: Database,
  which: Which,
  { eventIds, since }: z.output<typeof replaySchema>,
  services: ServiceRegistry,
): Promise<z.infer<typeof replayedSchema>> {
  const endpoint = await findEndpoint(database, which);
  assertKeyIsLive(endpoint);
  const { id, companyId, disabledAt, key } = endpoint;
  if (disabledAt !== null)
    throw new AppError("webhook_disabled", `The webhook ${id} is switched off. Switch it on first.`);
  const reach = reachOfKey(key, services);
  const requeue = (events: StoredEvent[], delivered: boolean) => {
    const readable = events.flatMap((event) => (isInReach(event, reach) ? event.id : []));
    return requeueEvents(database, { id, companyId }, readable, { delivered });
  };
  if (eventIds) {
    const named = await findEventsById(database, eventIds.filter(isEventId), companyId);
    const requeued = new Set(await requeue(named, true));
    return { count: requeued.size, skipped: eventIds.filter((id) => !requeued.has(id)), next: null };
  }
  let count = 0;
  let last = { id: NIL as string, position: since ?? "" };
  for (let seen = 0; seen < MAX_REPLAYED_EVENTS; seen += REPLAY_PAGE_EVENTS) {
    const page = await findEventsAfter(database, companyId, last, REPLAY_PAGE_EVENTS);
    count += (await requeue(page.map(toEvent), false)).length;
    last = page.at(-1) ?? last;
    if (page.length < REPLAY_PAGE_EVENTS) return { count, skipped: [], next: null };
  }
  return { count, skipped: [], next: new Date(`${last.position.replace(" ", "T")}Z`).toISOString() };
}

/** The result of a test message. */
export const testedSchema = z.object({
  isDelivered: z.boolean(),
  status: z.int().nullable().describe("the HTTP status; null if there was no response"),
  error: z.string().nullable().describe("a sentence"),
}) satisfies z.ZodType<SendResult>;

/**
 * Sends an event of type `webhook.test` once, now, with the signatures that every event has.
 * @throws AppError as `findEndpoint`; `webhook_disabled` if its API key is not live; Error if the secret cannot be read
 */
export async function sendTestEvent(
  database: Database,
  which: Which,
  { signingSecrets, allowPrivate }: WebhookSettings,
): Promise<z.infer<typeof testedSchema>> {
  const endpoint = await findEndpoint(database, which);
  assertKeyIsLive(endpoint);
  const { url, companyId, secret, previousSecret, previousSecretUntil } = endpoint;
  const previous = previousSecretUntil !== null && previousSecretUntil > new Date() ? previousSecret : null;
  const secrets = openWebhookSecrets(previous === null ? [secret] : [secret, previous], signingSecrets);
  if (secrets === null) throw new Error("Its secret was encrypted with another EMBED_SIGNING_SECRET.");
  const id = newEventId();
  const occurredAt = new Date().toISOString();
  const payload: TestEvent = { id, type: "webhook.test", occurredAt, companyId };
  const result = await sendWebhook({ url, secrets, id, payload }, { allowPrivate });
  return { isDelivered: result.error === null, ...result };
}
