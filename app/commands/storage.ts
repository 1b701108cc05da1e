/** `npm run storage -- COMMAND --bucket NAME`: writes and checks the settings of a bucket that the explorer needs, one by one. */

import type { Command } from "commander";
import { MAX_UPLOAD_DAYS } from "platform-embed-element/client";
import { type Finding, runChecks, startReport, wrong } from "../../embed-element/doctor/report";
import { bucketSettingChecks } from "../doctor/bucket-setting-checks";
import { findLiveClients, usesOf } from "../doctor/context";
import { type Env, parseEnv } from "../env/env.server";
import { createObjectStore } from "../providers/object-store.server";
import { createStoreProbe } from "../providers/object-store-checks.server";
import {
  ABORT_UPLOADS,
  corsRuleForBucket,
  DEFAULT_KEEP_DAYS,
  expireVersions,
} from "../services/files/bucket-settings.server";
import { createSettingsWriter, type SettingsWriter } from "./bucket-settings-writer";
import { type CommandDefinition, runAsProcess, type Session, wholeNumber } from "./run-command";

/** milliseconds that the check of one setting may take */
const CHECK_MS = 10_000;

interface Options {
  bucket: string;
  dryRun?: boolean;
}

const NO_LIFECYCLE = "This store does not support lifecycle rules: remove what is old by its own means.";

const days = wholeNumber(1, 36_500);

const withBucket = (command: Command) => command.requiredOption("--bucket <name>", "the bucket");
const withChange = (command: Command) =>
  withBucket(command).option("--dry-run", "print the result, and write nothing");

/** Writes settings of the bucket, then prints them. */
function writeSettings(
  session: Session,
  env: Env,
  { bucket, dryRun = false }: Options,
  work: (writer: SettingsWriter) => Promise<void>,
): Promise<void> {
  const writer = createSettingsWriter(session, env, { bucket, dryRun });
  return work(writer).then(() => writer.end());
}

export const storage: CommandDefinition = (program, session) => {
  program
    .description(
      "Writes and checks settings of a bucket. What others have set is kept. Every command may be repeated.",
    )
    .addHelpText(
      "after",
      "\nFor a new bucket: cors and lifecycle (npm run storage:cors writes both), versioning if files should be restorable, " +
        "and events if others write to the bucket, too. check says what is missing.",
    );

  withChange(program.command("cors"))
    .description(
      "allow the platform, and the origins of all active embed clients of the bucket, to read and write; run it again when these change",
    )
    .action((options: Options) =>
      session.withDatabase(async (database, variables) => {
        const env = parseEnv(variables);
        const rule = await corsRuleForBucket(database, options.bucket, env.platformBaseUrl);
        await writeSettings(session, env, options, (writer) => writer.cors(rule));
      }),
    );

  withChange(program.command("lifecycle"))
    .description(`abort multipart uploads that are not completed within ${MAX_UPLOAD_DAYS} days`)
    .action((options: Options) =>
      writeSettings(session, parseEnv(session.environment()), options, (writer) =>
        writer.lifecycle([ABORT_UPLOADS], NO_LIFECYCLE),
      ),
    );

  withChange(program.command("versioning"))
    .description("keep replaced and deleted files for some days, so that they can be brought back")
    .option("--keep-days <number>", "how long to keep them", days, DEFAULT_KEEP_DAYS)
    .addHelpText(
      "after",
      "\nFor --keep-days, each replaced or deleted file is paid for like any other object: a 1 GB file that is replaced daily needs 91 GB. " +
        "Versioning cannot be removed from a bucket again, only suspended. Also writes the rule of `lifecycle`.",
    )
    .action(({ keepDays, ...options }: Options & { keepDays: number }) =>
      writeSettings(session, parseEnv(session.environment()), options, async (writer) => {
        // First the rule: without it, versions would be kept without end.
        await writer.lifecycle([ABORT_UPLOADS, expireVersions(keepDays)], NO_LIFECYCLE);
        await writer.versioning();
      }),
    );

  withChange(program.command("events"))
    .description("publish what happens in the bucket to the topic in STORAGE_EVENTS_TOPICS, to be recorded")
    .addHelpText(
      "after",
      "\nThe topic must exist, let Amazon S3 publish to it, and deliver to /api/storage/events of this service:\n" +
        "docs/guide/buckets.md#notifications",
    )
    .action((options: Options) => {
      const env = parseEnv(session.environment());
      const [topic, ...others] = env.storageEventsTopics;
      if (topic === undefined) throw new Error(NO_TOPIC);
      const receiver = new URL("/api/storage/events", env.apiBaseUrl).href;
      return writeSettings(session, env, options, (writer) =>
        writer.notifications([topic, ...others], receiver),
      );
    });

  withBucket(program.command("check"))
    .description("say which of these settings are right and which are missing, and change nothing")
    .option("--json", "print a JSON array of { check, status: ok, warning or error, message, remedy? }")
    .addHelpText(
      "after",
      "\nExit code 1 if something is missing. What could not be checked, or is not ours to change, is a warning.",
    )
    .action((options: { bucket: string; json?: boolean }) => check(session, options));
};

const NO_TOPIC =
  "Set STORAGE_EVENTS_TOPICS to the ARN of a topic first; without it, the service refuses what the topic delivers. " +
  "docs/guide/buckets.md#notifications says how to make one.";

async function check(session: Session, { bucket, json = false }: { bucket: string; json?: boolean }) {
  const { terminal } = session;
  const findings = await session.withDatabase(async (database, variables): Promise<Finding[]> => {
    const env = parseEnv(variables);
    const probe = createStoreProbe(env.objectStore);
    const store = createObjectStore(env.objectStore);
    try {
      const { actions } = usesOf(bucket, await findLiveClients(database));
      const checks = bucketSettingChecks({
        context: { database, env },
        probe,
        store,
        bucket,
        actions,
        missing: wrong,
      });
      return await runChecks(checks, { checkMs: CHECK_MS });
    } finally {
      probe.close();
    }
  });
  const report = startReport({
    json,
    stdout: terminal.stdout,
    env: terminal.env,
    print: session.printStyled,
  });
  report.add(findings);
  session.exitCode = report.end();
}

await runAsProcess(import.meta.url, "storage", storage);
