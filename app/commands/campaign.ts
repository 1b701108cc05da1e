/** `npm run campaign`: makes, checks, publishes, stops and follows campaigns. docs/guide/first-campaign.md */
import { InvalidArgumentError } from "commander";
import { campaignJobSchema } from "../campaigns/campaign-job.server";
import { type FromCsvOptions, fromCsv } from "./campaign/from-csv";
import { type PreviewOptions, preview } from "./campaign/preview";
import { DEFAULT_RATE, type PublishOptions, publish } from "./campaign/publish";
import { type StatusOptions, showStatus } from "./campaign/status";
import { cancel, pause, resume } from "./campaign/stop-and-resume";
import {
  type CommandDefinition,
  JSON_OPTION,
  type JsonOption,
  runAsProcess,
  wholeNumber,
} from "./run-command";

const MAX_LINE = 1e9;

export const campaign: CommandDefinition = (program, session) => {
  program.description(
    "Makes campaign files, checks and publishes them, and shows what became of each e-mail. Without their settings, all of it uses a " +
      "running local stack. publish needs API_BASE_URL and QUEUE_TOKEN; status, pause, resume and cancel need POSTGRES_URL. " +
      "status and cancel also need QUEUE_TOKEN, to ask the queue what it has given up on, and to take jobs from it.",
  );
  program
    .command("from-csv <file>")
    .description("make a campaign file from a customer list: one job of each line")
    .requiredOption("--template <file>", "one job without its recipient, as JSON")
    .requiredOption("--out <file>", "the campaign file to write")
    .option("--body <file>", "the body, as a Markdown file; in place of the template's")
    .option("--skip-invalid", "leave out lines that are not valid")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nThe first line of the list names the columns. One must be “email”; “name”, “locale” and “unsubscribe_token” are the " +
        "recipient's, too. Every other column is a variable: “First name” is {{first_name}}. Every e-mail is rendered, and nothing is " +
        "written if a line is not valid.",
    )
    .action((file: string, options: FromCsvOptions) => fromCsv(session, file, options));
  program
    .command("preview <file>")
    .description("write the HTML and the text of one line's e-mail into files")
    .requiredOption("--line <number>", "the line of the campaign file", wholeNumber(1, MAX_LINE))
    .option("--out <folder>", "the folder to write to", "campaign-preview")
    .option("--test-to <address>", "also send it there; needs the server's environment")
    .option(...JSON_OPTION)
    .action((file: string, options: PreviewOptions) => preview(session, file, options));
  program
    .command("publish <file>")
    .description("publish an NDJSON file, one job on each line, to the queue (- reads standard input)")
    .option("--rate <number>", "maximum e-mails per second", wholeNumber(1, 1_000), DEFAULT_RATE)
    .option("--from-line <number>", "continue an earlier run from this line", wholeNumber(1, MAX_LINE), 1)
    .option("--concurrency <number>", "concurrent requests to the queue", wholeNumber(1, 100), 4)
    .option("--dry-run", "check the file, render every e-mail, and publish nothing")
    .option("--again", "publish also what was published in the last ten minutes; nobody gets an e-mail twice")
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nEvery e-mail is rendered before the first one is published. It is safe to stop and repeat: a job is " +
        "sent once while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS).",
    )
    .action((file: string, options: PublishOptions) => publish(session, file, options));
  program
    .command("status")
    .argument("<campaign-id>", "", campaignId)
    .description("show how many e-mails of a campaign have been sent, and what became of them")
    .option("--file <file>", "show what became of every job in this file")
    .option("--lines", "print one line of JSON for each job of the file")
    .option(...JSON_OPTION)
    .action((id: string, options: StatusOptions) => showStatus(session, id, options));
  for (const [name, stop, description] of [
    ["pause", pause, "send no further e-mail of a campaign until it is resumed"],
    ["cancel", cancel, "send no further e-mail of a campaign, and take its jobs from the queue"],
  ] as const)
    program
      .command(name)
      .argument("<campaign-id>", "", campaignId)
      .description(description)
      .option(...JSON_OPTION)
      .action((id: string, options: JsonOption) => stop(session, id, options));
  program
    .command("resume")
    .argument("<campaign-id>", "", campaignId)
    .description("send the e-mails of a paused or cancelled campaign again")
    .option(...JSON_OPTION)
    .action((id: string, options: JsonOption) => resume(session, id, options));
};

/** Normalized as in jobs. */
function campaignId(value: string): string {
  const { data } = campaignJobSchema.shape.campaignId.safeParse(value);
  if (data !== undefined) return data;
  throw new InvalidArgumentError("It must have 1 to 200 characters.");
}

await runAsProcess(import.meta.url, "campaign", campaign);
