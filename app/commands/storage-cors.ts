/** `npm run storage:cors -- --bucket NAME`: lets browsers reach a bucket, only from where they should, and has it forget uploads that nobody completes. */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../app-error";
import { parseEnv } from "../env.server";
import { createObjectStore } from "../providers/object-store.server";
import { explainStoreFailure } from "../providers/store-failure.server";
import { corsRuleForBucket, mergeCorsRules } from "../services/files/storage-cors.server";
import { mergeLifecycleRules } from "../services/files/storage-lifecycle.server";
import { UPLOAD_DAYS } from "../services/files/upload-handle.server";
import { type CommandDefinition, runAsProcess } from "./run-command";

interface Options {
  bucket: string;
  dryRun?: boolean;
  lifecycle: boolean;
}

/** The rules of one kind that a bucket has: read, and written all at once. */
interface Rules<Rule> {
  /** as the AWS command line names them in what it reads and writes */
  member: "CORSRules" | "Rules";
  name: string;
  /** what else to do where the store does not offer them */
  otherwise: string;
  read(): Promise<Rule[]>;
  merge(found: readonly Rule[]): Rule[];
  write(rules: Rule[]): Promise<void>;
}

export const storageCors: CommandDefinition = (program, session) =>
  program
    .description(
      "Writes a bucket's CORS rule: the platform and the allowed origins of every live embed client of that bucket. " +
        `Run it again when those change. And a lifecycle rule that ends uploads which nobody has completed for ${UPLOAD_DAYS} days. ` +
        "Rules that are not its own are kept.",
    )
    .requiredOption("--bucket <name>", "the bucket")
    .option("--no-lifecycle", "leave the lifecycle rules as they are")
    .option("--dry-run", "print what the bucket's rules would be, and write nothing")
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
          otherwise: "Enter the CORS rules above there.",
          read: () => store.corsRules(bucket),
          merge: (found) => mergeCorsRules(found, ours),
          write: (rules) => store.putCorsRules(bucket, rules),
        });
        if (lifecycle && failures.every(({ isOfOneSetting }) => isOfOneSetting)) {
          await update("lifecycle", {
            member: "Rules",
            name: "lifecycle rules",
            otherwise:
              "Have uploads in parts that nobody completes removed there, and add --no-lifecycle here.",
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
          // What is needed is printed also where what is there cannot be told.
          printed[kind] = { [member]: merge([]) };
          try {
            const found = await read();
            const wanted = merge(found);
            printed[kind] = { [member]: wanted };
            const isRight = isDeepStrictEqual(found, wanted);
            if (!isRight && !dryRun) await write(wanted);
            const done = isRight ? "right already" : dryRun ? "not written" : "written";
            session.console.error(`${bucket}: ${name} ${done}; kept from others: ${wanted.length - 1}.`);
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
  /** and another one may still work */
  isOfOneSetting: boolean;
}

/** What the store itself said, and what to do: to whoever runs this, unlike to a caller of the service, it can be told. */
function explain(error: unknown, what: string, otherwise: string): StoreFailed {
  if (!(error instanceof AppError)) throw error;
  const { kind } = explainStoreFailure(error.cause);
  const message = `${what} ${error.logDetail ?? error.message}${kind === "not_offered" ? ` ${otherwise}` : ""}`;
  return { message, isOfOneSetting: ["access_denied", "not_offered", "other"].includes(kind) };
}

await runAsProcess(import.meta.url, "storage:cors", storageCors);
