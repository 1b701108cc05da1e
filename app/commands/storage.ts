/** `npm run storage -- COMMAND --bucket NAME`: the settings of a bucket that the explorer needs, one by one. */
import { type Command, InvalidArgumentError } from "commander";
import { type Env, parseEnv } from "../env.server";
import { MAX_UPLOAD_DAYS } from "../services/files/storage-limits";
import {
  ABORT_UPLOADS,
  corsRuleForBucket,
  DEFAULT_KEEP_DAYS,
  expireVersions,
} from "../services/files/storage-settings.server";
import { type BucketSettings, bucketSettings } from "./bucket-settings";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

interface Options {
  bucket: string;
  dryRun?: boolean;
}

const NO_LIFECYCLE = "This store does not support lifecycle rules: remove what is old by its own means.";

function days(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 36_500) return number;
  throw new InvalidArgumentError("must be a whole number of days, from 1 to 36500.");
}

const withBucket = (command: Command) =>
  command
    .requiredOption("--bucket <name>", "the bucket")
    .option("--dry-run", "print the result, and write nothing");

/** Runs `work` with the settings of the bucket, then prints them. */
function change(
  session: Session,
  env: Env,
  { bucket, dryRun = false }: Options,
  work: (settings: BucketSettings) => Promise<void>,
): Promise<void> {
  const settings = bucketSettings(session, env, { bucket, dryRun });
  return work(settings).then(() => settings.end());
}

export const storage: CommandDefinition = (program, session) => {
  program.description(
    "Writes settings of a bucket. What others have set is kept. Every command may be repeated.",
  );

  withBucket(program.command("cors"))
    .description(
      "allow the platform, and the origins of all active embed clients of the bucket, to read and write; run it again when these change",
    )
    .action((options: Options) =>
      session.withDatabase(async (database, source) => {
        const env = parseEnv(source);
        const rule = await corsRuleForBucket(database, options.bucket, env.platformBaseUrl);
        await change(session, env, options, (settings) => settings.cors(rule));
      }),
    );

  withBucket(program.command("lifecycle"))
    .description(`abort multipart uploads that are not completed within ${MAX_UPLOAD_DAYS} days`)
    .action((options: Options) =>
      change(session, parseEnv(session.environment()), options, (settings) =>
        settings.lifecycle([ABORT_UPLOADS], NO_LIFECYCLE),
      ),
    );

  withBucket(program.command("versioning"))
    .description("keep replaced and deleted files for some days, so that they can be brought back")
    .option("--keep-days <number>", "how long to keep them", days, DEFAULT_KEEP_DAYS)
    .addHelpText(
      "after",
      "\nWhat is kept is paid for like any other object. Versioning cannot be removed from a bucket again, only suspended.",
    )
    .action(({ keepDays, ...options }: Options & { keepDays: number }) =>
      change(session, parseEnv(session.environment()), options, async (settings) => {
        // First the rule: without it, versions would be kept without end.
        await settings.lifecycle([ABORT_UPLOADS, expireVersions(keepDays)], NO_LIFECYCLE);
        await settings.versioning();
      }),
    );
};

await runAsProcess(import.meta.url, "storage", storage);
