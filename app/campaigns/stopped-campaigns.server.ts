import { type Database, NOW } from "../providers/database.server";
import { AppError } from "../shared/app-error";
import { randomPauseSeconds } from "../shared/retry";

export type StopState = "paused" | "cancelled";

export interface StoppedCampaign {
  state: StopState;
  /** ISO 8601 */
  since: string;
}

/**
 * When the queue delivers a job of a paused campaign again. It does so three times at most (publish-campaign.server.ts), so the queue
 * gives up on no job if the pause ends within two and a half hours.
 */
const MIN_RETRY_SECONDS = 50 * 60;
const MAX_RETRY_SECONDS = 60 * 60;

/**
 * Pauses or cancels a campaign for every process from now on. E-mails that are being sent at this moment are still sent.
 * @throws Error if a campaign is to be paused that is cancelled: resuming it would send what was not to be sent
 */
export async function stopCampaign(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
  state: StopState,
): Promise<void> {
  const written = await database.$driverQuery(
    `INSERT INTO stopped_campaigns AS stopped (campaign_id, state, stopped_at) VALUES ($1, $2, ${NOW})
     ON CONFLICT (campaign_id) DO UPDATE SET state = EXCLUDED.state, stopped_at = EXCLUDED.stopped_at
     WHERE stopped.state = 'paused' OR EXCLUDED.state = 'cancelled' RETURNING 1`,
    [campaignId, state],
  );
  if (written.length === 0) throw new Error("The campaign is cancelled, so there is nothing to pause.");
}

/** Lets a campaign's jobs be sent again. @returns what it was stopped by; null if it was not stopped */
export async function resumeCampaign(database: Database, campaignId: string): Promise<StopState | null> {
  const [resumed] = await database.$driverQuery<{ state: StopState }>(
    "DELETE FROM stopped_campaigns WHERE campaign_id = $1 RETURNING state",
    [campaignId],
  );
  return resumed?.state ?? null;
}

/** @returns null if the campaign is not stopped */
export async function findStop(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
): Promise<StoppedCampaign | null> {
  const [stopped] = await database.$driverQuery<StoppedCampaign>(
    `SELECT state, to_char(stopped_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since FROM stopped_campaigns WHERE campaign_id = $1`,
    [campaignId],
  );
  return stopped ?? null;
}

/** @throws AppError `unavailable` if the campaign is paused, `job_refused` if it is cancelled */
export async function refuseIfStopped(
  database: Pick<Database, "$driverQuery">,
  campaignId: string,
): Promise<void> {
  const stopped = await findStop(database, campaignId);
  if (stopped?.state === "paused")
    throw new AppError("unavailable", "The campaign is paused.", {
      retryAfterSeconds: randomPauseSeconds(MIN_RETRY_SECONDS, MAX_RETRY_SECONDS),
    });
  if (stopped?.state === "cancelled") throw new AppError("job_refused", "The campaign is cancelled.");
}
