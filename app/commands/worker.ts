/** `npm run worker`: sends webhooks, creates databases and keeps catalogues up to date in a process of its own. Needed where WORKER=separate; useful beside the app as well. */
import { once } from "node:events";
import { catalogueWorkers } from "../catalogue/catalogue-workers.server";
import { CreationWorker } from "../databases/creation-worker.server";
import { parseEnv, warningsOf } from "../env/env.server";
import { createObjectStore } from "../providers/object-store.server";
import { services } from "../services/registry.server";
import { logInfo, logWarning } from "../shared/log.server";
import { WebhookWorker } from "../webhooks/webhook-worker.server";
import { clusterToolsOf } from "./cluster-tools";
import { type CommandDefinition, runAsProcess } from "./run-command";

export const worker: CommandDefinition = (program, session) =>
  program
    .description(
      "Sends webhooks, creates databases whose callers did not wait, and keeps the catalogues of buckets up to date, until SIGTERM or SIGINT. Then it waits for the running " +
        "attempts, which takes 15 seconds at most. Any number of processes may do so at once. Needs the server's environment, or a running local stack.",
    )
    .action(() =>
      session.withDatabase(async (database, variables) => {
        const stop = session.terminal.catchSignals();
        const env = parseEnv(variables);
        for (const warning of warningsOf(env)) logWarning(warning);
        const webhookWorker = new WebhookWorker(database, { ...env.webhooks, services });
        const creationWorker = new CreationWorker(clusterToolsOf(database, variables));
        const objectStore = createObjectStore(env.objectStore);
        const workers = [
          webhookWorker,
          creationWorker,
          ...catalogueWorkers({ database, objectStore }, env.catalogues.maxLagSeconds),
        ];
        for (const started of workers) started.start();
        logInfo("Webhooks are sent, and databases are created.");
        if (!stop.aborted) await once(stop, "abort");
        await Promise.all(workers.map((started) => started.stop()));
      }),
    );

await runAsProcess(import.meta.url, "worker", worker);
