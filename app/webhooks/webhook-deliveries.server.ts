import { NIL } from "uuid";
import { isEventId, newEventId } from "../events/events.server";
import { insertDeliveriesOf } from "../events/insert-deliveries.server";
import { type Database, RECORD_ID } from "../providers/database.server";
import { type SendResult, sendWebhook } from "./send-webhook.server";
import { type WebhookSettings, webhookNotFound } from "./webhook-endpoints.server";
import type { TestEvent } from "./webhook-messages.server";
import { openWebhookSecret } from "./webhook-secret.server";

/** @throws AppError `webhook_not_found` */
async function findEndpoint(database: Database, id: string) {
  const found = RECORD_ID.test(id) ? await database.webhookEndpoint.findUnique({ where: { id } }) : null;
  if (found === null) throw webhookNotFound();
  return found;
}

/**
 * The deliveries of an endpoint, newest first.
 * @param failed only those that have failed, at least so far
 * @throws AppError `webhook_not_found`
 */
export async function listDeliveries(
  database: Database,
  endpointId: string,
  { failed = false, limit }: { failed?: boolean; limit: number },
) {
  await findEndpoint(database, endpointId);
  const found = await database.webhookDelivery.findMany({
    where: { endpointId, ...(failed && { error: { not: null } }) },
    orderBy: { eventId: "desc" },
    take: limit,
  });
  const events = await database.event.findMany({
    where: { id: { in: found.map(({ eventId }) => eventId) } },
    select: { id: true, type: true },
  });
  const types = new Map(events.map(({ id, type }) => [id, type]));
  return found.map(({ endpointId: _, subject: __, nextAttemptAt, deliveredAt, createdAt, ...rest }) => ({
    ...rest,
    /** null if the event was deleted */
    type: types.get(rest.eventId) ?? null,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  }));
}

/** Queues those of the events ($3) that the endpoint takes; those that were delivered only if $4 says so. */
const REPLAY = `
  WITH chosen AS (
    SELECT * FROM events WHERE "companyId" = $2 AND id = ANY($3::uuid[])
  ) ${insertDeliveriesOf("chosen")} AND endpoint.id = $1
  ON CONFLICT (endpoint_id, event_id) DO UPDATE SET status = 'pending', error = NULL, last_status = NULL, delivered_at = NULL,
    attempts = 0, next_attempt_at = excluded.next_attempt_at
    WHERE webhook_deliveries.status <> 'delivered' OR $4
  RETURNING 1`;

/** A page of a company's events since a time ($2), after the last one of the page before. */
const EVENTS_SINCE = `
  SELECT id, occurred_at::text AS "occurredAt" FROM events
  WHERE "companyId" = $1 AND (occurred_at, id) > ($2::timestamp, $3::uuid) ORDER BY occurred_at, id LIMIT 2000`;

/**
 * Sends events again: those that are named, or all since a time that were not delivered, also those that happened while the endpoint was off.
 * @returns how many
 * @throws AppError `webhook_not_found`; Error if it is switched off
 */
export async function replayEvents(
  database: Database,
  endpointId: string,
  { event = [], since }: { event?: string[]; since?: Date },
): Promise<number> {
  const { companyId, disabledAt } = await findEndpoint(database, endpointId);
  if (disabledAt !== null)
    throw new Error(`${endpointId} is switched off. Switch it on with \`enable\` first.`);
  const replay = async (ids: string[], isNamed: boolean) =>
    (await database.$driverQuery(REPLAY, [endpointId, companyId, ids, isNamed])).length;
  let count = await replay(event.filter(isEventId), true);
  let last = since && { id: NIL as string, occurredAt: since.toISOString() };
  while (last !== undefined) {
    const page: { id: string; occurredAt: string }[] = await database.$driverQuery(EVENTS_SINCE, [
      companyId,
      last.occurredAt,
      last.id,
    ]);
    last = page.at(-1);
    count += await replay(
      page.map(({ id }) => id),
      false,
    );
  }
  return count;
}

/**
 * Sends an event of type `webhook.test` once, now.
 * @throws AppError `webhook_not_found`; Error if the secret cannot be read
 */
export async function sendTestEvent(
  database: Database,
  endpointId: string,
  { signingSecrets, allowPrivate }: WebhookSettings,
): Promise<SendResult> {
  const { url, companyId, secret: sealed } = await findEndpoint(database, endpointId);
  const secret = openWebhookSecret(sealed, signingSecrets);
  if (secret === null) throw new Error("Its secret was encrypted with another EMBED_SIGNING_SECRET.");
  const id = newEventId();
  const occurredAt = new Date().toISOString();
  const payload: TestEvent = { id, type: "webhook.test", occurredAt, companyId };
  return sendWebhook({ url, secrets: [secret], id, payload }, { allowPrivate });
}
