import type { Database } from "../providers/database.server";

/** What later events of an e-mail have in common with its `email.sent`. */
interface SentEmail {
  companyId: string | null;
  campaignId: string | null;
  /** null once it has been erased */
  recipient: string | null;
}

/** @param id of the event `email.sent` @throws AppError `unavailable` */
export async function findSentEmail(
  database: Pick<Database, "$driverQuery">,
  id: string,
): Promise<SentEmail | undefined> {
  const [sent] = await database.$driverQuery<SentEmail>(
    `SELECT "companyId", campaign_id AS "campaignId", recipient FROM events WHERE id = $1 AND type = 'email.sent'`,
    [id],
  );
  return sent;
}
