/** `npm run databases -- refresh`: how much the databases take, from their clusters into the records. */
import { refreshUsage } from "../databases/refresh-usage.server";
import { parseEnv } from "../env.server";
import { createDataApi } from "../providers/data-api.server";
import { type CommandDefinition, runAsProcess } from "./run-command";

export const databases: CommandDefinition = (program, session) => {
  const { console } = session;
  program.description(
    "Looks after cluster databases. Needs the server's environment, or a running local stack.",
  );
  program
    .command("refresh")
    .description(
      "ask every cluster how large its active databases are and what capacity it runs at, and note it; may be stopped and run again at any time",
    )
    .action(() =>
      session.withDatabase(async (database, source) => {
        const env = parseEnv(source);
        const { refreshed, missing, failures, unmeasured } = await refreshUsage(
          {
            database,
            dataApi: createDataApi(env.dataApi),
            capacity: env.capacity,
            clusters: env.clusters,
          },
          ({ region, done, total }) => console.error(`${region}: ${done} of ${total}`),
        );
        for (const name of missing)
          console.error(`${name} is active here, but its cluster does not have it.`);
        for (const { region, reason } of unmeasured) {
          console.error(`The capacity of the cluster in ${region} could not be read: ${reason}`);
        }
        for (const { region, reason } of failures) console.error(`${region} was left as it was: ${reason}`);
        console.log(`Refreshed ${refreshed} of ${refreshed + missing.length}.`);
        if (failures.length > 0) session.exitCode = 1;
      }),
    );
};

await runAsProcess(import.meta.url, "databases", databases);
