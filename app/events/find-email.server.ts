import { z } from "zod";
import type { Database } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { readEventsOfMessage } from "./find-events.sql.server";
import { eventSchemas, toEvent } from "./stored-event.server";

/** The status of an e-mail by the type of its latest event. */
const statusBy = {
  "email.sent": "accepted",
  "email.delivered": "delivered",
  "email.opened": "opened",
  "email.clicked": "clicked",
  "email.bounced": "bounced",
  "email.complained": "complained",
} as const;

export const emailStatusSchema = z
  .object({
    messageId: z.string(),
    status: z.enum(statusBy).describe("what the mail provider said last"),
    events: z.array(eventSchemas.email).describe("oldest first"),
  })
  .meta({ id: "EmailStatus" });
type EmailStatus = z.infer<typeof emailStatusSchema>;

/**
 * The status of one e-mail, and its events.
 * @param messageId the mail provider's, as sending returned it
 * @throws AppError `not_found` if nothing is recorded of it (any more), `unavailable`
 */
export async function findEmail(
  database: Pick<Database, "$driverQuery">,
  messageId: string,
): Promise<EmailStatus> {
  const events = (await readEventsOfMessage(database, messageId)).map(toEvent) as EmailStatus["events"];
  const last = events.findLast(({ type }) => type in statusBy);
  if (last === undefined) throw new AppError("not_found", "Nothing is recorded of this e-mail.");
  return { messageId, status: statusBy[last.type as keyof typeof statusBy], events };
}

/** What later events of an e-mail have in common with its `email.sent`. */
interface SentEmail {
  companyId: string | null;
  campaignId: string | null;
  /** null once it has been erased */
  recipient: string | null;
}

/** @param id of the event `email.sent` @throws AppError `unavailable` */
export function findSentEmail(database: Pick<Database, "event">, id: string): Promise<SentEmail | null> {
  return database.event.findUnique({
    where: { id, type: "email.sent" },
    select: { companyId: true, campaignId: true, recipient: true },
  });
}
