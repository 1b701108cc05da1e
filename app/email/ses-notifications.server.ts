import { z } from "zod";
import type { EmailData, EmailEventType } from "../events/event";
import { type Events, eventIdFrom } from "../events/events.server";
import { findSentEmail } from "../events/find-email.server";
import type { Database } from "../providers/database.server";
import type { Sns } from "../providers/sns.server";
import { handleSubscription, type SnsMessage } from "../providers/verify-sns-message.server";
import { logWarning } from "../shared/log.server";
import { parseJsonText } from "../shared/parse-json";
import type { RequestContext } from "../shared/request-context.server";
import { countEmailEvent, type NotificationKind } from "../telemetry/metrics.server";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "./email-address.server";
import { EVENT_TAG } from "./send-message.server";
import { addSuppressions, type SuppressionReason } from "./suppressions.server";

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

/** Optional: a bounce with an invalid timestamp must still suppress its address. Only the recorded event needs the time. */
const timestamp = z.iso.datetime({ offset: true }).optional().catch(undefined);
const recipients = z.array(z.object({ emailAddress: z.string() }));

/** A notification of Amazon SES: of an identity (`notificationType`) or of a configuration set (`eventType`). */
const notificationSchema = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  bounce: z.object({ bounceType: z.string(), bouncedRecipients: recipients, timestamp }).optional(),
  complaint: z
    .object({
      complainedRecipients: recipients,
      complaintFeedbackType: z.string().nullish(),
      timestamp,
    })
    .optional(),
  delivery: z
    .object({ recipients: z.array(z.string()), timestamp })
    .optional()
    .catch(undefined),
  open: z.object({ timestamp }).optional().catch(undefined),
  click: z.object({ timestamp }).optional().catch(undefined),
  mail: z
    .object({
      messageId: z.string(),
      /** the addresses that the message was sent to */
      destination: z.array(z.string()).optional().catch(undefined),
      /** only in those of a configuration set */
      tags: z
        .object({ [EVENT_TAG]: z.tuple([z.uuid()]) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** Metric labels of the notifications that suppress nobody. */
const kindByName = new Map<string, NotificationKind>([
  ["Send", "send"],
  ["Delivery", "delivery"],
  ["Reject", "reject"],
  ["Open", "open"],
  ["Click", "click"],
  ["DeliveryDelay", "delivery_delay"],
  ["Rendering Failure", "rendering_failure"],
  ["Subscription", "subscription"],
]);

interface SesNotification {
  kind: NotificationKind;
  /** why the addresses are suppressed; null for a notification that suppresses none */
  reason: SuppressionReason | null;
  addresses: string[];
  /** number of addresses that could not be read */
  unreadable: number;
  /** the event to record for each address */
  event: NotifiedEvent | undefined;
}

interface NotifiedEvent {
  type: EmailEventType;
  time: Date;
  messageId: string;
  /** of the `email.sent` of this message, if we have sent it */
  sentEventId: string | undefined;
  data: EmailData;
}

const noAddresses = { reason: null, addresses: [], unreadable: 0, event: undefined };

/** Reads a notification. Anything else, such as the text by which Amazon tests a new topic, has the kind `other` and no addresses. */
export function readNotification(message: string): SesNotification {
  const read = notificationSchema.safeParse(parseJsonText(message)).data;
  const name = read?.eventType ?? read?.notificationType ?? "";
  const eventOf = (type: EmailEventType, time: string | undefined, data: EmailData = {}) => {
    const { messageId, tags } = read?.mail ?? {};
    if (messageId === undefined || time === undefined) return undefined;
    const sentEventId = tags?.[EVENT_TAG][0];
    return { type, time: new Date(time), messageId, sentEventId, data: { ...data, messageId } };
  };
  if (name === "Bounce" && read?.bounce) {
    const { bounceType, bouncedRecipients, timestamp } = read.bounce;
    // A transient bounce may not happen again, and an undetermined one says nothing.
    const type =
      bounceType === "Permanent" ? "permanent" : bounceType === "Transient" ? "transient" : "undetermined";
    return {
      kind: `bounce_${type}`,
      reason: type === "permanent" ? "bounce" : null,
      ...readAddresses(bouncedRecipients.map(({ emailAddress }) => emailAddress)),
      event: eventOf("email.bounced", timestamp, { bounceType: type }),
    };
  }
  if (name === "Complaint" && read?.complaint) {
    const { complaintFeedbackType, complainedRecipients, timestamp } = read.complaint;
    // The opposite of a complaint (RFC 5965, section 7.3): the recipient moved the message out of spam.
    if (complaintFeedbackType === "not-spam") return { ...noAddresses, kind: "not_spam" };
    return {
      kind: "complaint",
      reason: "complaint",
      ...readAddresses(complainedRecipients.map(({ emailAddress }) => emailAddress)),
      event: eventOf("email.complained", timestamp),
    };
  }
  const kind = kindByName.get(name) ?? "other";
  const report = reportIn(read, name);
  if (report === undefined) return { ...noAddresses, kind };
  const { type, recipients, timestamp } = report;
  return { kind, reason: null, ...readAddresses(recipients), event: eventOf(type, timestamp) };
}

/** What a delivery, an open or a click reports. Of an open or a click, neither the reader's IP address and browser nor the link is kept. */
function reportIn(read: z.infer<typeof notificationSchema> | undefined, name: string) {
  const { delivery, open, click, mail } = read ?? {};
  if (name === "Delivery" && delivery) return { ...delivery, type: "email.delivered" } as const;
  // A report of an open or a click names no recipient, so it is taken from the message. Each of our messages has one.
  const recipients = mail?.destination ?? [];
  if (name === "Open" && open) return { ...open, recipients, type: "email.opened" } as const;
  if (name === "Click" && click) return { ...click, recipients, type: "email.clicked" } as const;
  return undefined;
}

function readAddresses(written: readonly string[]): Pick<SesNotification, "addresses" | "unreadable"> {
  const addresses = written.flatMap((text) => readAddress(text) ?? []);
  return { addresses, unreadable: written.length - addresses.length };
}

/** An address in a notification: by itself, or as `Name <address>`. */
function readAddress(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH * 4) return null;
  return normalizeEmailAddress((/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim());
}
