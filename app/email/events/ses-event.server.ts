import { z } from "zod";
import type { EmailEvent } from "../../telemetry/metrics.server";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "../email-address.server";
import type { SuppressionReason } from "../suppressions.server";

/** A notification of Amazon SES: of an identity (`notificationType`) or of a configuration set (`eventType`). */
const eventSchema = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  bounce: z
    .object({ bounceType: z.string(), bouncedRecipients: z.array(z.object({ emailAddress: z.string() })) })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: z.array(z.object({ emailAddress: z.string() })),
      complaintFeedbackType: z.string().nullish(),
    })
    .optional(),
});

/** Metric labels of the events that are only counted. */
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
}

/** Reads a notification. Anything else, such as the text by which Amazon tests a new topic, has the kind `other` and no addresses. */
export function readEvent(message: string): SesEvent {
  const event = parse(message);
  const name = event?.eventType ?? event?.notificationType;
  if (name === "Bounce" && event?.bounce) {
    const { bounceType, bouncedRecipients } = event.bounce;
    // A transient bounce may not happen again, and an undetermined one says nothing.
    if (bounceType === "Permanent") return of("bounce_permanent", "bounce", bouncedRecipients);
    return of(bounceType === "Transient" ? "bounce_transient" : "bounce_undetermined", null, []);
  }
  if (name === "Complaint" && event?.complaint) {
    const { complaintFeedbackType, complainedRecipients } = event.complaint;
    // The opposite of a complaint (RFC 5965, section 7.3): the recipient moved the message out of spam.
    if (complaintFeedbackType === "not-spam") return of("not_spam", null, []);
    return of("complaint", "complaint", complainedRecipients);
  }
  return of(Object.hasOwn(counted, name ?? "") ? (counted[name ?? ""] ?? "other") : "other", null, []);
}

function parse(message: string): z.output<typeof eventSchema> | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

function of(
  kind: EmailEvent,
  reason: SuppressionReason | null,
  recipients: readonly { emailAddress: string }[],
): SesEvent {
  const addresses = recipients.flatMap(({ emailAddress }) => readAddress(emailAddress) ?? []);
  return { kind, reason, addresses, unreadable: recipients.length - addresses.length };
}

/** An address in a notification: by itself, or as `Name <address>`. */
function readAddress(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH * 4) return null;
  return normalizeEmailAddress((/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim());
}
