/**
 * `npm run storage:cors -- --bucket NAME`: writes the bucket's CORS rule, and a lifecycle rule that deletes uploads
 * which were never completed. `npm run storage` has both one by one, and more.
 */
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { parseEnv } from "../env/env.server";
import { ABORT_UPLOADS, corsRuleForBucket } from "../services/files/bucket-settings.server";
import { createSettingsWriter } from "./bucket-settings-writer";
import { type CommandDefinition, runAsProcess } from "./run-command";

interface Options {
  bucket: string;
  dryRun?: boolean;
  lifecycle: boolean;
}

export const storageCors: CommandDefinition = (program, session) =>
  program
    .description(
      "Writes a bucket's CORS rule, which allows the platform and the origins of all active embed clients of the bucket. " +
        `Run it again when these change. Also writes a lifecycle rule that aborts multipart uploads after ${MAX_UPLOAD_DAYS} days. ` +
        "All other rules are kept.",
    )
    .requiredOption("--bucket <name>", "the bucket")
    .option("--no-lifecycle", "do not change the lifecycle rules")
    .option("--dry-run", "print the rules, and write nothing")
    .action(({ bucket, dryRun = false, lifecycle }: Options) =>
      session.withDatabase(async (database, variables) => {
        const env = parseEnv(variables);
        const writer = createSettingsWriter(session, env, { bucket, dryRun });
        await writer.cors(await corsRuleForBucket(database, bucket, env.platformBaseUrl));
        if (lifecycle) {
          await writer.lifecycle(
            [ABORT_UPLOADS],
            "This store does not support lifecycle rules: remove incomplete uploads by its own means and use --no-lifecycle.",
          );
        }
        writer.end();
      }),
    );

await runAsProcess(import.meta.url, "storage:cors", storageCors);
