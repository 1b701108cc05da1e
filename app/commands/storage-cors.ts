/**
 * `npm run storage:cors -- --bucket NAME`: writes the bucket's CORS rule, and a lifecycle rule that deletes uploads
 * which were never completed.
 */
import { isDeepStrictEqual } from "node:util";
import { parseEnv } from "../env.server";
import { createObjectStore } from "../providers/object-store.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { MAX_UPLOAD_DAYS } from "../services/files/storage-limits";
import {
  corsRuleForBucket,
  mergeCorsRules,
  mergeLifecycleRules,
} from "../services/files/storage-settings.server";
import { AppError } from "../shared/app-error";
import { type CommandDefinition, runAsProcess } from "./run-command";

interface Options {
  bucket: string;
  dryRun?: boolean;
  lifecycle: boolean;
}

/** One of the two lists of rules that a bucket has. A store reads and writes a list as a whole. */
interface Rules<Rule> {
  /** the list's name in the JSON that the AWS CLI reads and prints */
  member: "CORSRules" | "Rules";
  name: string;
  /** what to do if the store does not support these rules */
  otherwise: string;
  read(): Promise<Rule[]>;
  merge(found: readonly Rule[]): Rule[];
  write(rules: Rule[]): Promise<void>;
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
      session.withDatabase(async (database, source) => {
        const env = parseEnv(source);
        const store = createObjectStore(env.objectStore);
        const ours = await corsRuleForBucket(database, bucket, env.platformBaseUrl);
        let minimumSize: Awaited<ReturnType<typeof store.lifecycle>>["minimumSize"];
        const failures: StoreFailed[] = [];
        const printed: Record<string, unknown> = {};

        await update("cors", {
          member: "CORSRules",
          name: "CORS rules",
          otherwise: "Enter the CORS rules above in the store's own settings.",
          read: () => store.corsRules(bucket),
          merge: (found) => mergeCorsRules(found, ours),
          write: (rules) => store.putCorsRules(bucket, rules),
        });
        if (lifecycle && failures.every(({ isOfOneSetting }) => isOfOneSetting)) {
          await update("lifecycle", {
            member: "Rules",
            name: "lifecycle rules",
            otherwise:
              "This store does not support lifecycle rules: remove incomplete uploads by its own means and use --no-lifecycle.",
            async read() {
              const found = await store.lifecycle(bucket);
              minimumSize = found.minimumSize;
              return found.rules;
            },
            merge: mergeLifecycleRules,
            write: (rules) => store.putLifecycle(bucket, { rules, minimumSize }),
          });
        }
        session.console.log(JSON.stringify(printed, null, 2));
        if (failures.length > 0) throw new Error(failures.map(({ message }) => message).join("\n"));

        async function update<Rule>(kind: string, rules: Rules<Rule>): Promise<void> {
          const { member, name, otherwise, read, merge, write } = rules;
          // Printed even if the present rules cannot be read.
          printed[kind] = { [member]: merge([]) };
          try {
            const found = await read();
            const wanted = merge(found);
            printed[kind] = { [member]: wanted };
            const isUpToDate = isDeepStrictEqual(found, wanted);
            if (!isUpToDate && !dryRun) await write(wanted);
            const done = isUpToDate ? "up to date" : dryRun ? "not written" : "written";
            session.console.error(`${bucket}: ${name} ${done}; other rules kept: ${wanted.length - 1}.`);
          } catch (error) {
            failures.push(
              explain(error, `${bucket}: ${name} not ${dryRun ? "read" : "written"}.`, otherwise),
            );
          }
        }
      }),
    );

interface StoreFailed {
  message: string;
  /** whether the other list may still be written */
  isOfOneSetting: boolean;
}

/** The store's own message, and what to do. Unlike a caller of the API, an operator may see it. */
function explain(error: unknown, what: string, otherwise: string): StoreFailed {
  if (!(error instanceof AppError)) throw error;
  const { kind } = explainStoreFailure(error.cause);
  const message = `${what} ${error.logDetail ?? error.message}${kind === "not_offered" ? ` ${otherwise}` : ""}`;
  return { message, isOfOneSetting: ["access_denied", "not_offered", "other"].includes(kind) };
}

await runAsProcess(import.meta.url, "storage:cors", storageCors);
