import { z } from "zod";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "../email-address.server";
import type { SuppressionReason } from "../suppressions/suppressions.server";

/** A notice of Amazon SES, of an identity (`notificationType`) or of a configuration set (`eventType`). */
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

/** Those that do nothing but count, by their names at Amazon. */
const counted: Readonly<Record<string, string>> = {
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
  /** for metrics: one of few */
  kind: string;
  /** why its addresses get no e-mail from now on; null where it is about something else */
  reason: SuppressionReason | null;
  addresses: string[];
  /** addresses that are none */
  unreadable: number;
}

/** What a notice says. Whatever is none, such as the sentence by which Amazon tries a new topic, is of another kind, and of nobody. */
export function readEvent(message: string): SesEvent {
  const event = parse(message);
  const name = event?.eventType ?? event?.notificationType;
  if (name === "Bounce" && event?.bounce) {
    const { bounceType, bouncedRecipients } = event.bounce;
    // A transient one may pass; of an undetermined one nobody can say.
    if (bounceType === "Permanent") return of("bounce_permanent", "bounce", bouncedRecipients);
    return of(bounceType === "Transient" ? "bounce_transient" : "bounce_undetermined", null, []);
  }
  if (name === "Complaint" && event?.complaint) {
    const { complaintFeedbackType, complainedRecipients } = event.complaint;
    // The opposite of a complaint (RFC 5965, section 7.3): somebody took the message out of the spam.
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
  kind: string,
  reason: SuppressionReason | null,
  recipients: readonly { emailAddress: string }[],
): SesEvent {
  const addresses = recipients.flatMap(({ emailAddress }) => readAddress(emailAddress) ?? []);
  return { kind, reason, addresses, unreadable: recipients.length - addresses.length };
}

/** An address as a bounce has it: by itself, or as a mailbox. */
function readAddress(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH * 4) return null;
  return normalizeEmailAddress((/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim());
}
