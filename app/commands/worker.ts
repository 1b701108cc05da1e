/** `npm run worker`: sends webhooks in a process of its own. Needed where WORKER=separate; useful beside the app as well. */
import { once } from "node:events";
import { logInfo } from "../shared/log.server";
import { WebhookWorker } from "../webhooks/webhook-worker.server";
import { type CommandDefinition, runAsProcess } from "./run-command";
import { webhookSettingsOf } from "./webhook-settings";

export const worker: CommandDefinition = (program, session) =>
  program
    .description(
      "Sends webhooks, until SIGTERM or SIGINT; then it waits for the running attempts, which takes 15 seconds at most. " +
        "Any number of processes may do so at once. Needs the server's environment, or a running local stack.",
    )
    .action(() =>
      session.withDatabase(async (database, env) => {
        const stop = session.terminal.catchSignals();
        const webhookWorker = new WebhookWorker(database, webhookSettingsOf(env));
        webhookWorker.start();
        logInfo("Webhooks are sent.");
        if (!stop.aborted) await once(stop, "abort");
        await webhookWorker.stop();
      }),
    );

await runAsProcess(import.meta.url, "worker", worker);
