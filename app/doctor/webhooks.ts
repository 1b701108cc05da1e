import { ok, runCheck, type Verdict, warning, wrong } from "../../embed-element/doctor/report";
import { listWebhooks } from "../webhooks/webhook-endpoints.server";
import { findOverdueSeconds } from "../webhooks/webhooks.sql.server";
import type { CheckGroup, DoctorContext } from "./context";

/** As in the alert PlatformEmbedWebhooksOverdue. */
const MAX_OVERDUE_SECONDS = 300;

/** Whether webhooks are sent in time, and which of them fail or are switched off. */
export const checkWebhooks: CheckGroup = async (context) =>
  runCheck(
    {
      name: "webhooks",
      run: () => judgeWebhooks(context),
      explain: () =>
        warning(
          "Not checked, because the database query failed.",
          "See what the checks of the database say.",
        ),
    },
    context.limits,
  );

async function judgeWebhooks({ database, env }: DoctorContext): Promise<Verdict[]> {
  const webhooks = await listWebhooks(database);
  if (webhooks.length === 0) return [ok("There are no webhooks.")];
  const off = webhooks.filter(({ disabledAt }) => disabledAt !== null);
  const failing = webhooks.filter(
    ({ disabledAt, failingSince }) => disabledAt === null && failingSince !== null,
  );
  const verdicts: Verdict[] = [];
  const seconds = await findOverdueSeconds(database);
  if (seconds > MAX_OVERDUE_SECONDS)
    verdicts.push(
      wrong(
        `An event has been waiting for ${Math.round(seconds / 60)} minutes to be sent to a webhook.`,
        env.runsWorkers
          ? "See whether the app runs, and what it logs. If it is well, a receiver is slower than its events."
          : "WORKER is separate: run npm run worker.",
      ),
    );
  if (off[0])
    verdicts.push(
      warning(
        `Webhooks that are switched off: ${off.length}. The first is ${off[0].id}: ${off[0].disabledReason}`,
        `If its API key has ended, create another webhook or remove this one: npm run webhooks -- remove ${off[0].id}. Otherwise ask the company to repair its receiver, then: npm run webhooks -- enable ${off[0].id}`,
      ),
    );
  if (failing[0])
    verdicts.push(
      warning(
        `Webhooks that fail: ${failing.length}. The first is ${failing[0].id}, since ${failing[0].failingSince}.`,
        `See why: npm run webhooks -- deliveries ${failing[0].id} --failed`,
      ),
    );
  return verdicts.length > 0 ? verdicts : [ok(`Webhooks: ${webhooks.length}. None fails.`)];
}
