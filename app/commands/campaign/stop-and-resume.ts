import { tagOf } from "../../campaigns/campaign-job.server";
import { readCampaignStatus } from "../../campaigns/campaign-status.server";
import type { StopState } from "../../campaigns/campaigns.sql.server";
import { findStop, resumeCampaign, stopCampaign } from "../../campaigns/stopped-campaigns.server";
import type { EnvVariables } from "../../env/env.server";
import type { Database } from "../../providers/database.server";
import type { JsonOption, Session } from "../run-command";
import { openQueue, problemOf } from "./queue";
import { countJobs, quote } from "./wording";

/** `npm run campaign -- pause ID` */
export const pause = (session: Session, id: string, { json }: JsonOption): Promise<void> =>
  session.withDatabase(async (database) => {
    await stopCampaign(database, id, "paused");
    if (!(await hasRecords(database, id)))
      session.console.error(`No e-mail of a campaign ${quote(id)} has been sent so far. Is that its id?`);
    if (json) return printState(session, id, "paused");
    session.console.log(
      `Paused. To go on: npm run campaign -- resume ${quote(id)}. The queue keeps a job for about two and a half hours; after a longer pause, publish the file once more with --again.`,
    );
  });

/**
 * `npm run campaign -- cancel ID`: stops the campaign, then takes its jobs from the queue. It can be repeated.
 * @throws Error if neither our records nor the queue know the campaign
 */
export const cancel = (session: Session, id: string, { json }: JsonOption): Promise<void> =>
  session.withDatabase(async (database, variables) => {
    const wasStopped = await findStop(database, id);
    // First, so that no job is sent that the queue delivers in the meantime.
    await stopCampaign(database, id, "cancelled");
    const { removed, problem } = await removeJobs(variables, id);
    if (!removed && !wasStopped && !(await hasRecords(database, id))) {
      if (problem === undefined) await resumeCampaign(database, id);
      throw new Error(
        problem === undefined
          ? `There is no campaign ${quote(id)}: none of its e-mails was sent, and the queue has none of its jobs. Nothing was cancelled.`
          : `No e-mail of a campaign ${quote(id)} has been sent so far. If that is its id, it is cancelled. If not: npm run campaign -- resume ${quote(id)}. The queue could not be asked: ${problem}`,
      );
    }
    if (problem !== undefined)
      session.console.error(
        `Its jobs could not be taken from the queue, which drops each one when it delivers it: ${problem}`,
      );
    if (json) return printState(session, id, "cancelled", { removed: removed ?? null });
    const jobs = removed ? ` ${countJobs(removed)} taken from the queue.` : "";
    session.console.log(
      `Cancelled. No further e-mail of this campaign is sent.${jobs} If that was a mistake: npm run campaign -- resume ${quote(id)}, then publish the file once more with --again.`,
    );
  });

/** @returns how many there were, or the problem for which it is not known. Never rejects. */
async function removeJobs(
  variables: EnvVariables,
  id: string,
): Promise<{ removed?: number; problem?: string }> {
  try {
    const { queue, destination } = openQueue(variables);
    return { removed: await queue.cancel(tagOf(id), destination) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

async function hasRecords(database: Database, id: string): Promise<boolean> {
  const { sent, sending, waiting, suppressed } = await readCampaignStatus(database, id);
  return sent + sending + waiting + suppressed > 0;
}

function printState({ console }: Session, campaignId: string, state: StopState, more: object = {}): void {
  console.log(JSON.stringify({ campaignId, state, ...more }));
}

/** `npm run campaign -- resume ID` */
export const resume = (session: Session, id: string, { json }: JsonOption): Promise<void> =>
  session.withDatabase(async (database) => {
    const was = await resumeCampaign(database, id);
    if (json) return session.console.log(JSON.stringify({ campaignId: id, state: "running", was }));
    session.console.log(
      {
        none: "This campaign was neither paused nor cancelled.",
        paused:
          "Resumed. The queue delivers each job again within an hour. To send them at once, publish the file once more with --again: nobody gets an e-mail twice.",
        cancelled:
          "Resumed. Its jobs are no longer on the queue: publish the file once more with --again. Nobody gets an e-mail twice.",
      }[was ?? "none"],
    );
  });
