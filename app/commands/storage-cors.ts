/** `npm run storage:cors -- --bucket NAME`: lets browsers reach a bucket, and only from where they should. */
import { Command } from "commander";
import { parseEnv, readEnvOrExit } from "../env.server";
import { corsRulesForBucket } from "../files/storage-cors.server";
import { createObjectStore } from "../providers/object-store.server";
import { runCommand, withDatabase } from "./run-command";

const program = new Command("npm run storage:cors --")
  .description(
    "Writes a bucket's CORS rules: the platform and the allowed origins of every live embed client of that bucket. " +
      "Run it again when those change. It replaces the rules that are there.",
  )
  .requiredOption("--bucket <name>", "the bucket")
  .option("--dry-run", "print the rules and write nothing")
  .showHelpAfterError("Add --help for what can be said.")
  .action(({ bucket, dryRun }: { bucket: string; dryRun?: boolean }) =>
    withDatabase(async (database) => {
      const env = readEnvOrExit(parseEnv);
      const rules = await corsRulesForBucket(database, bucket, env.platformBaseUrl);
      console.log(JSON.stringify(rules, null, 2));
      if (dryRun) return;
      await createObjectStore(env.objectStore).putCorsRules(bucket, rules);
      console.error(`Written to the bucket ${bucket}.`);
    }),
  );

await runCommand(() => program.parseAsync());
