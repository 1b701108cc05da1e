import { readCampaignStatus } from "../../campaigns/campaign-status.server";
import { resumeCampaign, type StopState, stopCampaign } from "../../campaigns/stopped-campaigns.server";
import type { Session } from "../run-command";
import { quote } from "./wording";

interface StopOptions {
  json?: boolean;
}

/** `npm run campaign -- pause ID` and `cancel ID` */
export const stop = (session: Session, id: string, state: StopState, { json }: StopOptions): Promise<void> =>
  session.withDatabase(async (database) => {
    await stopCampaign(database, id, state);
    const { sent, sending, waiting, suppressed } = await readCampaignStatus(database, id);
    if (sent + sending + waiting + suppressed === 0)
      session.console.error(`No e-mail of a campaign ${quote(id)} has been sent so far. Is that its id?`);
    if (json) return session.console.log(JSON.stringify({ campaignId: id, state }));
    const resume = `npm run campaign -- resume ${quote(id)}`;
    session.console.log(
      state === "paused"
        ? `Paused. To go on: ${resume}. The queue keeps a job for about two and a half hours; after a longer pause, publish the file once more with --again.`
        : `Cancelled. No further e-mail of this campaign is sent. If that was a mistake: ${resume}, then publish the file once more with --again.`,
    );
  });

/** `npm run campaign -- resume ID` */
export const resume = (session: Session, id: string, { json }: StopOptions): Promise<void> =>
  session.withDatabase(async (database) => {
    const was = await resumeCampaign(database, id);
    if (json) return session.console.log(JSON.stringify({ campaignId: id, state: "running", was }));
    session.console.log(
      {
        none: "This campaign was neither paused nor cancelled.",
        paused:
          "Resumed. The queue delivers each job again within an hour. To send them at once, publish the file once more with --again: nobody gets an e-mail twice.",
        cancelled:
          "Resumed. The queue has given up on the jobs that it delivered meanwhile: publish the file once more with --again. Nobody gets an e-mail twice.",
      }[was ?? "none"],
    );
  });
