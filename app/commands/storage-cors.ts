/** `npm run storage:cors -- --bucket NAME`: lets browsers reach a bucket, and only from where they should. */
import { AppError } from "../app-error";
import { parseEnv } from "../env.server";
import { createObjectStore } from "../providers/object-store.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { corsRulesForBucket } from "../services/files/storage-cors.server";
import { type CommandDefinition, runAsProcess } from "./run-command";

export const storageCors: CommandDefinition = (program, session) =>
  program
    .description(
      "Writes a bucket's CORS rules: the platform and the allowed origins of every live embed client of that bucket. " +
        "Run it again when those change. It replaces the rules that are there.",
    )
    .requiredOption("--bucket <name>", "the bucket")
    .option("--dry-run", "print the rules and write nothing")
    .action(({ bucket, dryRun }: { bucket: string; dryRun?: boolean }) =>
      session.withDatabase(async (database, source) => {
        const env = parseEnv(source);
        const rules = await corsRulesForBucket(database, bucket, env.platformBaseUrl);
        session.console.log(JSON.stringify(rules, null, 2));
        if (dryRun) return;
        await createObjectStore(env.objectStore)
          .putCorsRules(bucket, rules)
          .catch((error: unknown) => {
            throw explain(error, bucket);
          });
        session.console.error(`Written to the bucket ${bucket}.`);
      }),
    );

/** What the store itself said, and what to do: to whoever runs this, unlike to a caller of the service, it can be told. */
function explain(error: unknown, bucket: string): unknown {
  if (!(error instanceof AppError)) return error;
  const { message, remedy } = explainStoreFailure(error.cause, { bucket, permission: "s3:PutBucketCORS" });
  return new Error(`${message}\n${remedy}`, { cause: error });
}

await runAsProcess(import.meta.url, "storage:cors", storageCors);
