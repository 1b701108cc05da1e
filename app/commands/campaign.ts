/**
 * `npm run campaign -- publish FILE`: puts one campaign e-mail per line of an NDJSON file on the queue.
 * `npm run campaign -- status ID`: how many of them have been sent.
 */
import { createReadStream, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { InvalidArgumentError } from "commander";
import { checkCampaign, listLines, readMessages } from "../campaigns/campaign-file.server";
import { readCampaignStatus, readFileStatus } from "../campaigns/campaign-status.server";
import { type PublishOutcome, publishCampaign } from "../campaigns/publish-campaign.server";
import { SeenKeys } from "../campaigns/seen-keys";
import { onOneLine } from "../email/email-address.server";
import { parseOnly } from "../env/schema.server";
import { createQueue } from "../providers/queue.server";
import { duration, inJobs, linesOf, openOf, quote, WITHOUT_RECORD } from "./campaign-in-words";
import { fileInWords } from "./file-in-words";
import { chunksOf, copyOf } from "./held-file";
import { Progress } from "./progress";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** What Amazon SES lets an account send a second that it has just let out of its sandbox. */
const DEFAULT_RATE = 14;

export const campaign: CommandDefinition = (program, session) => {
  program.description(
    "Publishes campaign e-mails, and says how many have been sent. Needs API_BASE_URL, QUEUE_URL and QUEUE_TOKEN (for status POSTGRES_URL), or a running local stack.",
  );
  program
    .command("publish <file>")
    .description("put one job per line of an NDJSON file on the queue (- reads standard input)")
    .option("--rate <number>", "e-mails a second at most", wholeNumber(1, 1_000), DEFAULT_RATE)
    .option("--from-line <number>", "go on where an earlier run ended", wholeNumber(1, 1e9), 1)
    .option("--concurrency <number>", "requests to the queue at a time", wholeNumber(1, 100), 4)
    .option("--dry-run", "check the file, render every e-mail, and publish nothing")
    .addHelpText(
      "after",
      "\nEvery e-mail is rendered before the first is published. Safe to stop and to repeat: a job is sent once while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS).",
    )
    .action((file: string, options: PublishOptions) => publish(session, file, options));
  program
    .command("status <campaign-id>")
    .description("how many e-mails of a campaign have been sent")
    .option("--file <file>", "account for every job of this file")
    .option("--json", "as JSON")
    // As jobs' ids are read.
    .action((id: string, options: StatusOptions) => showStatus(session, onOneLine(id), options));
};

interface PublishOptions {
  rate: number;
  fromLine: number;
  concurrency: number;
  dryRun?: boolean;
}

interface StatusOptions {
  file?: string;
  json?: boolean;
}

async function publish(session: Session, file: string, options: PublishOptions): Promise<void> {
  // It is read twice: once to see that all of it is right. A pipe gives what it has once.
  const path = file !== "-" && (await fileInWords(file)).isFile() ? file : undefined;
  const held = await (path === undefined
    ? copyOf(file === "-" ? session.terminal.stdin : createReadStream(file))
    : open(path));
  try {
    await publishFile(session, held, path, options);
  } finally {
    await held.close();
  }
}

/** @param path where `held` can be opened again */
async function publishFile(
  session: Session,
  held: FileHandle,
  path: string | undefined,
  options: PublishOptions,
): Promise<void> {
  const { console, terminal } = session;
  const source = session.environment("QUEUE_TOKEN");
  const { UNSUBSCRIBE_URL: unsubscribeUrl } = parseOnly(source, "UNSUBSCRIBE_URL");
  const asChecked = await held.stat();
  // Both readings need it, and one is 25 MB for a million lines.
  const seen = new SeenKeys();
  const checking = new Progress(terminal.stderr);
  const checked = await checkCampaign(chunksOf(held), unsubscribeUrl, {
    from: options.fromLine,
    hosted: hostedUnsubscribeIn(source),
    seen,
    onLine: (line) => checking.show(() => `${line} ${line === 1 ? "line" : "lines"} checked`),
  }).finally(() => checking.end());
  const { jobs, before, repeated, campaignId, ignored } = checked;
  const where = options.fromLine === 1 ? "" : ` from line ${options.fromLine} on, ${before} before it`;
  const again = repeated === 0 ? "" : ` (${repeated} more for somebody who is in it already)`;
  console.error(`${inJobs(jobs)} in ${path ?? "the input"}${where}${again}.`);
  for (const [member, line] of ignored)
    console.error(`  line ${line}: ${member}: no job has that, so it is ignored`);
  if (options.dryRun) return console.error("Every e-mail can be sent. Nothing was published.");

  const env = parseOnly(source, "API_BASE_URL", "QUEUE_URL", "QUEUE_TOKEN");
  const signal = terminal.catchSignals();
  signal.addEventListener("abort", () =>
    console.error("\nStopping: what is under way is waited for. Ctrl-C once more ends it at once."),
  );
  const publishing = new Progress(terminal.stderr);
  const outcome = await publishCampaign(readMessages(chunksOf(held), options.fromLine, seen), {
    queue: createQueue({ url: env.QUEUE_URL, token: env.QUEUE_TOKEN }),
    apiBaseUrl: env.API_BASE_URL,
    rate: options.rate,
    concurrency: options.concurrency,
    from: options.fromLine,
    signal,
    onProgress: ({ new: fresh, known, refused }) => {
      const done = fresh + known;
      publishing.show((perSecond) => {
        const open = jobs - done - refused;
        const left = open > 0 && perSecond > 0 ? `, ${duration(open / perSecond)} left` : "";
        return `${done} of ${jobs} published${refused > 0 ? `, ${refused} refused` : ""}, ${Math.round(perSecond)} a second${left}`;
      }, done + refused);
    },
  }).finally(() => publishing.end());
  const changed = path !== undefined && (await hasChanged(session, held, path, asChecked));
  session.exitCode = summarize(session, outcome, { jobs, file: path ?? "-", changed, options });
  if (session.exitCode === 0)
    console.error(
      `At ${options.rate} a second, the most that was asked for, the new ones take about ${duration(outcome.new / options.rate)}. To see how far it is: npm run campaign -- status ${quote(campaignId)}`,
    );
}

/** Whether another run would find another file, and says so. */
async function hasChanged({ console }: Session, held: FileHandle, path: string, asChecked: Stats) {
  const now = await held.stat();
  if (now.mtimeMs !== asChecked.mtimeMs || now.size !== asChecked.size) {
    console.error("The file has changed meanwhile: what was published may not be what was checked.");
    return true;
  }
  const there = await stat(path).catch(() => undefined);
  if (there?.ino === now.ino && there.dev === now.dev) return false;
  console.error("The file was moved or replaced meanwhile: what was published is what was checked.");
  return true;
}

/** As the app has it: a link that it adds counts in what an e-mail may have. */
function hostedUnsubscribeIn(source: Record<string, string | undefined>) {
  const { UNSUBSCRIBE_SECRET: secret } = parseOnly(source, "UNSUBSCRIBE_SECRET");
  if (secret === undefined) return undefined;
  const { PLATFORM_BASE_URL: baseUrl } = parseOnly(source, "PLATFORM_BASE_URL");
  return { baseUrl, secrets: [secret] as const };
}

/** @returns the exit code */
function summarize(
  { console }: Session,
  outcome: PublishOutcome,
  { jobs, file, changed, options }: { jobs: number; file: string; changed: boolean; options: PublishOptions },
): number {
  const { new: fresh, known, refused, refusals, stopped, goOnFrom } = outcome;
  const parts = [known > 0 && `${known} the queue had already`, refused > 0 && `${refused} it refused`];
  const details = parts.filter(Boolean).join(", ");
  console.log(`Published ${fresh + known} of ${inJobs(jobs)}${details && ` (${fresh} new, ${details})`}.`);
  for (const line of listLines(refusals, refused)) console.error(line);
  if (refused > 0)
    console.error("To try again what was refused, run the same once more: what was sent is not sent twice.");
  if (stopped !== undefined) {
    const rate = options.rate === DEFAULT_RATE ? "" : ` --rate ${options.rate}`;
    console.error(stopped);
    if (changed)
      console.error(
        "Lines are numbered as the file was. Where they have moved, leave out --from-line: what was sent is not sent twice.",
      );
    // The last line that is printed, as docs/guide/email.md has it.
    console.error(`To go on: npm run campaign -- publish ${quote(file)} --from-line ${goOnFrom}${rate}`);
  }
  // A file that was cut short has an end, too.
  return stopped === undefined && refused === 0 && fresh + known === jobs ? 0 : 1;
}

async function showStatus(session: Session, id: string, { file, json }: StatusOptions): Promise<void> {
  if (file !== undefined) return accountForFile(session, id, file, json);
  const { console } = session;
  const status = await session.withDatabase((database) => readCampaignStatus(database, id));
  if (json) return console.log(JSON.stringify(status));
  const { sent, sending, waiting, suppressed } = status;
  if (sent + sending + waiting + suppressed === 0)
    throw new Error(
      `Nothing is known of this campaign: none of its jobs has been delivered by the queue yet, or its id is another. Or it was sent: ${WITHOUT_RECORD}.`,
    );
  for (const line of linesOf(status)) console.log(line);
}

async function accountForFile(session: Session, id: string, file: string, json?: boolean) {
  const { console } = session;
  await fileInWords(file);
  const status = await session.withDatabase((database) =>
    readFileStatus(database, id, createReadStream(file)),
  );
  if (json) return console.log(JSON.stringify(status));
  console.log(`${inJobs(status.jobs)} of this campaign in ${file}.`);
  for (const line of [...linesOf(status, status.waitingLines), ...openOf(status, file)]) console.log(line);
}

function wholeNumber(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Say a whole number from ${least} to ${most}.`);
  };
}

await runAsProcess(import.meta.url, "campaign", campaign);
