import { z } from "zod";
import { type Events, eventIdFrom } from "../../events/events.server";
import { findSentEmail } from "../../events/find-email.server";
import type { Database } from "../../providers/database.server";
import type { Sns } from "../../providers/sns.server";
import { handleSubscription, type SnsMessage } from "../../providers/sns-message.server";
import { logWarning } from "../../shared/log.server";
import type { RequestContext } from "../../shared/request-context.server";
import { countEmailEvent } from "../../telemetry/metrics.server";
import { addSuppressions } from "../suppressions.server";
import { readNotification } from "./ses-notification.server";

export const handledMessageSchema = z.object({
  success: z.literal(true),
  suppressed: z.number().int().describe("number of addresses that were added to the suppression list"),
});

interface Settings {
  database: Database;
  events: Events;
  sns: Sns;
  context: RequestContext;
}

/**
 * Handles a verified message from Amazon SNS. Handling the same message again changes nothing.
 * @returns how many addresses were added to the suppression list
 * @throws AppError `unavailable`; Amazon then delivers the message again
 */
export async function handleSnsMessage(message: SnsMessage, settings: Settings): Promise<number> {
  const { database, events } = settings;
  const { requestId } = settings.context;
  if (message.Type !== "Notification") {
    await handleSubscription(message, "bounces and complaints", settings);
    return 0;
  }
  const { kind, reason, addresses, unreadable, event } = readNotification(message.Message);
  countEmailEvent(kind);
  if (unreadable > 0)
    logWarning(`A ${kind} has ${unreadable} addresses that could not be read.`, { requestId });
  const suppressed = reason === null ? 0 : await addSuppressions(database, addresses, { reason });
  if (event === undefined) return suppressed;
  const { type, time, messageId, sentEventId, data } = event;
  const sent = sentEventId === undefined ? undefined : await findSentEmail(database, sentEventId);
  await Promise.all(
    addresses.map((address) => {
      const recipient = address.toLowerCase();
      return events.record({
        id: eventIdFrom(time, [type, messageId, recipient]),
        type,
        occurredAt: time,
        companyId: sent?.companyId ?? null,
        campaignId: sent?.campaignId ?? null,
        recipient,
        requestId,
        data,
      });
    }),
  );
  return suppressed;
}
