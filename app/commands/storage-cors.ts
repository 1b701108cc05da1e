/** `npm run storage:cors -- --bucket NAME`: lets browsers reach a bucket, and only from where they should. */
import { Command } from "commander";
import { AppError } from "../app-error";
import { parseEnv, readEnvOrExit } from "../env.server";
import { explainStoreFailure } from "../providers/explain-store-failure";
import { createObjectStore } from "../providers/object-store.server";
import { corsRulesForBucket } from "../services/files/storage-cors.server";
import { runCommand, withDatabase } from "./run-command";

const program = new Command("npm run storage:cors --")
  .description(
    "Writes a bucket's CORS rules: the platform and the allowed origins of every live embed client of that bucket. " +
      "Run it again when those change. It replaces the rules that are there.",
  )
  .requiredOption("--bucket <name>", "the bucket")
  .option("--dry-run", "print the rules and write nothing")
  .showHelpAfterError("Run with --help for usage.")
  .action(({ bucket, dryRun }: { bucket: string; dryRun?: boolean }) =>
    withDatabase(async (database) => {
      const env = readEnvOrExit(parseEnv);
      const rules = await corsRulesForBucket(database, bucket, env.platformBaseUrl);
      console.log(JSON.stringify(rules, null, 2));
      if (dryRun) return;
      await createObjectStore(env.objectStore)
        .putCorsRules(bucket, rules)
        .catch((error: unknown) => {
          throw explain(error, bucket);
        });
      console.error(`Written to the bucket ${bucket}.`);
    }),
  );

/** What the store itself said, and what to do: to whoever runs this, unlike to a caller of the service, it can be told. */
function explain(error: unknown, bucket: string): unknown {
  if (!(error instanceof AppError)) return error;
  const { message, remedy } = explainStoreFailure(error.cause, { bucket, permission: "s3:PutBucketCORS" });
  return new Error(`${message}\n${remedy}`, { cause: error });
}

await runCommand(() => program.parseAsync());
