/** `npm run databases -- refresh`: updates the recorded size and capacity of cluster databases. */
import { refreshUsage } from "../databases/refresh-usage.server";
import { parseEnv } from "../env.server";
import { createDataApi } from "../providers/data-api.server";
import { type CommandDefinition, runAsProcess } from "./run-command";

export const databases: CommandDefinition = (program, session) => {
  const { console } = session;
  program.description(
    "Maintains cluster databases. Needs the server's environment, or a running local stack.",
  );
  program
    .command("refresh")
    .description(
      "record how large active databases are and what capacity their clusters run at; can be stopped and repeated at any time",
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
          console.error(`${name} is recorded as active, but its cluster does not have it.`);
        for (const { region, reason } of unmeasured) {
          console.error(`The capacity of the cluster in ${region} could not be read: ${reason}`);
        }
        for (const { region, reason } of failures) console.error(`${region} was not refreshed: ${reason}`);
        console.log(`Refreshed ${refreshed} of ${refreshed + missing.length}.`);
        if (failures.length > 0) session.exitCode = 1;
      }),
    );
};

await runAsProcess(import.meta.url, "databases", databases);
