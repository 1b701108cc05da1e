import { z } from "zod";
import type { EmailData, EmailEventType } from "../../events/event";
import { parseJsonText } from "../../shared/parse-json";
import type { EmailEvent } from "../../telemetry/metrics.server";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "../email-address.server";
import { EVENT_TAG } from "../send-message.server";
import type { SuppressionReason } from "../suppressions.server";

/** Optional: a bounce with an invalid timestamp must still suppress its address. Only the recorded event needs the time. */
const timestamp = z.iso.datetime({ offset: true }).optional().catch(undefined);
const recipients = z.array(z.object({ emailAddress: z.string() }));

/** A notification of Amazon SES: of an identity (`notificationType`) or of a configuration set (`eventType`). */
const eventSchema = z.object({
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

/** Metric labels of the events that suppress nobody. */
const counted: Readonly<Record<string, EmailEvent>> = {
  Send: "send",
  Delivery: "delivery",
  Reject: "reject",
  Open: "open",
  Click: "click",
  DeliveryDelay: "delivery_delay",
  "Rendering Failure": "rendering_failure",
  Subscription: "subscription",
};

interface SesEvent {
  kind: EmailEvent;
  /** why the addresses are suppressed; null for an event that suppresses none */
  reason: SuppressionReason | null;
  addresses: string[];
  /** number of addresses that could not be read */
  unreadable: number;
  /** what is recorded for each address */
  happened: HappenedToEmail | undefined;
}

interface HappenedToEmail {
  type: EmailEventType;
  time: Date;
  messageId: string;
  /** of the `email.sent` of this message, if we have sent it */
  sentEventId: string | undefined;
  data: EmailData;
}

const nobody = { reason: null, addresses: [], unreadable: 0, happened: undefined };

/** Reads a notification. Anything else, such as the text by which Amazon tests a new topic, has the kind `other` and no addresses. */
export function readEvent(message: string): SesEvent {
  const event = eventSchema.safeParse(parseJsonText(message)).data;
  const name = event?.eventType ?? event?.notificationType ?? "";
  const happened = (type: EmailEventType, time: string | undefined, data: EmailData = {}) => {
    const { messageId, tags } = event?.mail ?? {};
    if (messageId === undefined || time === undefined) return undefined;
    const sentEventId = tags?.[EVENT_TAG][0];
    return { type, time: new Date(time), messageId, sentEventId, data: { ...data, messageId } };
  };
  if (name === "Bounce" && event?.bounce) {
    const { bounceType, bouncedRecipients, timestamp } = event.bounce;
    // A transient bounce may not happen again, and an undetermined one says nothing.
    const type =
      bounceType === "Permanent" ? "permanent" : bounceType === "Transient" ? "transient" : "undetermined";
    return {
      kind: `bounce_${type}`,
      reason: type === "permanent" ? "bounce" : null,
      ...readAddresses(bouncedRecipients.map(({ emailAddress }) => emailAddress)),
      happened: happened("email.bounced", timestamp, { bounceType: type }),
    };
  }
  if (name === "Complaint" && event?.complaint) {
    const { complaintFeedbackType, complainedRecipients, timestamp } = event.complaint;
    // The opposite of a complaint (RFC 5965, section 7.3): the recipient moved the message out of spam.
    if (complaintFeedbackType === "not-spam") return { ...nobody, kind: "not_spam" };
    return {
      kind: "complaint",
      reason: "complaint",
      ...readAddresses(complainedRecipients.map(({ emailAddress }) => emailAddress)),
      happened: happened("email.complained", timestamp),
    };
  }
  const kind = Object.hasOwn(counted, name) ? (counted[name] ?? "other") : "other";
  const told = toldBy(event, name);
  if (told === undefined) return { ...nobody, kind };
  const { type, recipients, timestamp } = told;
  return { kind, reason: null, ...readAddresses(recipients), happened: happened(type, timestamp) };
}

/** What an event that suppresses nobody says of the e-mail. Of an open or a click, neither the reader's address nor the link is kept. */
function toldBy(event: z.infer<typeof eventSchema> | undefined, name: string) {
  const { delivery, open, click, mail } = event ?? {};
  if (name === "Delivery" && delivery) return { ...delivery, type: "email.delivered" } as const;
  // The event of an open or a click names no recipient. Each of our messages has one.
  const recipients = mail?.destination ?? [];
  if (name === "Open" && open) return { ...open, recipients, type: "email.opened" } as const;
  if (name === "Click" && click) return { ...click, recipients, type: "email.clicked" } as const;
  return undefined;
}

function readAddresses(written: readonly string[]): Pick<SesEvent, "addresses" | "unreadable"> {
  const addresses = written.flatMap((text) => readAddress(text) ?? []);
  return { addresses, unreadable: written.length - addresses.length };
}

/** An address in a notification: by itself, or as `Name <address>`. */
function readAddress(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH * 4) return null;
  return normalizeEmailAddress((/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim());
}
