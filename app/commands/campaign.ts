/** `npm run campaign -- publish FILE`: puts one campaign e-mail per line of an NDJSON file on the queue. */
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { InvalidArgumentError } from "commander";
import { publishCampaign, readCampaign } from "../campaigns/publish-campaign.server";
import { parseOnly } from "../env/schema.server";
import { createQueue } from "../providers/queue.server";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** milliseconds between two lines of progress where they cannot overwrite each other */
const LINE_EVERY_MS = 5_000;

export const campaign: CommandDefinition = (program, session) => {
  program.description(
    "Publishes campaign e-mails. Needs API_BASE_URL, QUEUE_URL and QUEUE_TOKEN, or a running local stack.",
  );
  program
    .command("publish <file>")
    .description("put one job per line of an NDJSON file on the queue (- reads standard input)")
    .option("--concurrency <number>", "how many at a time", wholeNumber, 10)
    .option("--dry-run", "check the file and publish nothing")
    .addHelpText(
      "after",
      "\nEvery line is checked before the first is published. Safe to stop and to repeat: a job is sent once.",
    )
    .action((file: string, options: PublishOptions) => publish(session, file, options));
};

interface PublishOptions {
  concurrency: number;
  dryRun?: boolean;
}

async function publish(session: Session, file: string, options: PublishOptions): Promise<void> {
  const { console, terminal } = session;
  const { messages, repeated } = readCampaign(
    await (file === "-" ? text(Readable.from(terminal.stdin)) : readFile(file, "utf8")),
  );
  const again = repeated === 0 ? "" : ` (${repeated} more for somebody who is in it already)`;
  console.error(`${messages.length} jobs in ${file === "-" ? "the input" : file}${again}.`);
  if (options.dryRun) return console.error("Every line is in order. Nothing was published.");

  const source = session.environment("QUEUE_TOKEN");
  const env = parseOnly(source, "API_BASE_URL", "QUEUE_URL", "QUEUE_TOKEN");
  const failed = await publishCampaign(messages, {
    queue: createQueue({ url: env.QUEUE_URL, token: env.QUEUE_TOKEN }),
    apiBaseUrl: env.API_BASE_URL,
    concurrency: options.concurrency,
    onProgress: progressLine(messages.length, terminal.stderr),
  });
  console.log(`Published ${messages.length - failed.length} of ${messages.length} jobs.`);
  if (failed.length === 0) return;
  for (const { line, message } of failed.slice(0, 20)) console.error(`  line ${line}: ${message}`);
  if (failed.length > 20) console.error(`  and ${failed.length - 20} more`);
  throw new Error("Some jobs were not published. Run the same again: what was sent is not sent twice.");
}

/** Overwrites one line on a terminal; writes a line now and then into anything else. */
function progressLine(total: number, stderr: Session["terminal"]["stderr"]) {
  let shownAt = Date.now();
  return ({ published, failed }: { published: number; failed: number }): void => {
    const line = `${published} of ${total} published${failed > 0 ? `, ${failed} failed` : ""}`;
    const isLast = published + failed === total;
    if (stderr.isTTY) stderr.write(`\r${line}${isLast ? "\n" : ""}`);
    else if (isLast || Date.now() - shownAt > LINE_EVERY_MS) {
      shownAt = Date.now();
      stderr.write(`${line}\n`);
    }
  };
}

function wholeNumber(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= 100) return number;
  throw new InvalidArgumentError("Say a whole number from 1 to 100.");
}

await runAsProcess(import.meta.url, "campaign", campaign);
