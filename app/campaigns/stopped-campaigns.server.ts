import { type Database, isCausedByCode, NO_SUCH_RECORD } from "../providers/database.server";
import { AppError, type AppErrorDetails } from "../shared/app-error";
import { randomPauseSeconds } from "../shared/retry";
import { type StopState, writeStop } from "./campaigns.sql.server";

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
  if (!(await writeStop(database, campaignId, state)))
    throw new Error("The campaign is cancelled, so there is nothing to pause.");
}

/** Lets a campaign's jobs be sent again. @returns what it was stopped by; null if it was not stopped */
export async function resumeCampaign(
  database: Pick<Database, "stoppedCampaign">,
  campaignId: string,
): Promise<StopState | null> {
  try {
    const { state } = await database.stoppedCampaign.delete({ where: { campaignId } });
    return state as StopState;
  } catch (error) {
    if (isCausedByCode(error, NO_SUCH_RECORD)) return null;
    throw error;
  }
}

/** @returns null if the campaign is not stopped */
export async function findStop(
  database: Pick<Database, "stoppedCampaign">,
  campaignId: string,
): Promise<StoppedCampaign | null> {
  const stopped = await database.stoppedCampaign.findUnique({ where: { campaignId } });
  return stopped && { state: stopped.state as StopState, since: stopped.stoppedAt.toISOString() };
}

/** @throws AppError `unavailable` if the campaign is paused, `job_refused` if it is cancelled */
export async function refuseIfStopped(
  database: Pick<Database, "stoppedCampaign">,
  campaignId: string,
): Promise<void> {
  const stopped = await findStop(database, campaignId);
  if (stopped?.state === "paused")
    throw new AppError("unavailable", "The campaign is paused.", {
      retryAfterSeconds: randomPauseSeconds(MIN_RETRY_SECONDS, MAX_RETRY_SECONDS),
    });
  if (stopped?.state === "cancelled") throw jobRefused("The campaign is cancelled.");
}

/** The error whose response makes QStash stop its retries: 489 with a header. */
export function jobRefused(message: string, details: AppErrorDetails = {}): AppError {
  return new AppError("job_refused", message, {
    ...details,
    headers: { "Upstash-NonRetryable-Error": "true" },
  });
}
