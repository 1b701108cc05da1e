/** `npm run usage -- BUCKET [PATH]`: how many objects and bytes a folder held on each day. app/catalogue/usage/README.md */
import { InvalidArgumentError } from "commander";
import type { z } from "zod";
import { listUsage, usageQuerySchema } from "../catalogue/usage/list-usage.server";
import { validationMessages } from "../shared/validation-messages";
import { type CommandDefinition, JSON_OPTION, type JsonOption, runAsProcess } from "./run-command";

const read =
  <Schema extends z.ZodType>(schema: Schema) =>
  (text: string): z.output<Schema> => {
    const parsed = schema.safeParse(text, { error: validationMessages });
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
  };
const { bucket, path, from, to } = usageQuerySchema.shape;

const HEADINGS = ["day", "objects", "bytes", "older versions", "unfinished uploads"];

export const usage: CommandDefinition = (program, session) =>
  program
    .description(
      "Prints how many objects and bytes a folder held on each day. `npm run cleanup` counts them once a day, for each bucket with a catalogue " +
        "and for each folder that the policy of an API key names. Needs POSTGRES_URL, or a running local stack.",
    )
    .argument("<bucket>", "the bucket", read(bucket))
    .argument("[path]", "a folder, like /customers/42", read(path), "/")
    .option("--from <day>", "the first day, like 2026-11-01", read(from))
    .option("--to <day>", "the last day", read(to))
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nBytes of older versions and of unfinished uploads are - if they were too many to count.",
    )
    .action((bucket: string, path: string, options: JsonOption & { from?: string; to?: string }) =>
      session.withDatabase(async (database) => {
        const { json, from, to } = options;
        const found = await listUsage(database, { bucket, path, from, to });
        if (json) return session.printJson(found);
        if (found.days.length === 0) {
          session.console.log(`${bucket}${path}: nothing was counted. Run npm run cleanup once a day.`);
          return;
        }
        const rows = found.days.map(({ day, objects, bytes, versionBytes, unfinishedBytes }) =>
          [day, objects, bytes, versionBytes ?? "-", unfinishedBytes ?? "-"].map(String),
        );
        for (const line of tableOf([HEADINGS, ...rows])) session.console.log(line);
      }),
    );

/** Lines of a table. Numbers stand on the right. */
function tableOf(rows: readonly string[][]): string[] {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) =>
        column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

await runAsProcess(import.meta.url, "usage", usage);
