import type { Database } from "../providers/database.server";
import { CLAIM_SECONDS } from "./claim-delivery.server";

export interface CampaignStatus {
  sent: number;
  /** handed to the mail provider at this moment */
  sending: number;
  /** begun by a delivery that did not come to its end; the next one takes it over */
  waiting: number;
  /** not sent, because their recipients get no such e-mail */
  suppressed: number;
  /** ISO 8601; null when nothing has been sent */
  lastSentAt: string | null;
}

/** What `email_deliveries` knows of a campaign: jobs that the queue has not delivered yet, and those that were refused, are not in it. */
export async function readCampaignStatus(database: Database, campaignId: string): Promise<CampaignStatus> {
  const [row] = await database.$queryRaw<
    { sent: number; sending: number; waiting: number; suppressed: number; last_sent_at: Date | null }[]
  >`
    SELECT count(*) FILTER (WHERE status = 'sent')::int AS sent,
           count(*) FILTER (WHERE status = 'claimed' AND NOT is_left)::int AS sending,
           count(*) FILTER (WHERE status = 'claimed' AND is_left)::int AS waiting,
           count(*) FILTER (WHERE status = 'suppressed')::int AS suppressed,
           max(sent_at) AS last_sent_at
      FROM (SELECT *, claimed_at <= now() AT TIME ZONE 'utc' - ${CLAIM_SECONDS} * interval '1 second' AS is_left
              FROM email_deliveries WHERE campaign_id = ${campaignId}) AS delivery`;
  const { sent = 0, sending = 0, waiting = 0, suppressed = 0, last_sent_at = null } = row ?? {};
  return { sent, sending, waiting, suppressed, lastSentAt: last_sent_at?.toISOString() ?? null };
}
