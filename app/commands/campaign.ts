/**
 * `npm run campaign -- publish FILE`: publishes an NDJSON file, one campaign e-mail on each line, to the queue.
 * `npm run campaign -- status ID`: shows how many e-mails of a campaign have been sent.
 */
import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import {
  checkCampaign,
  listIssues,
  MAX_LISTED_ISSUES,
  readMessages,
} from "../campaigns/campaign-file.server";
import { CAMPAIGN_JOB_PATH } from "../campaigns/campaign-job.server";
import {
  type CampaignStatus,
  type FileStatus,
  type ListedGivenUpJob,
  readCampaignStatus,
  readFileStatus,
} from "../campaigns/campaign-status.server";
import { type GivenUpJobList, readDeadLetters } from "../campaigns/dead-letters.server";
import { type PublishOutcome, publishCampaign } from "../campaigns/publish-campaign.server";
import { onOneLine } from "../email/email-address.server";
import { EnvError, parseOnly } from "../env.server";
import { createQueue } from "../providers/queue.server";
import { messageOf } from "../shared/error-text";
import { Progress } from "./progress";
import { type CommandDefinition, openFile, runAsProcess, type Session } from "./run-command";

/** Amazon SES's rate for an account that has just left the sandbox, per second. */
const DEFAULT_RATE = 14;

/** Why there may be no record of an e-mail that was sent. */
const RECORDS_MAY_BE_MISSING =
  "npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS, and POSTGRES_URL may name another database";

export const campaign: CommandDefinition = (program, session) => {
  program.description(
    "Publishes campaign e-mails, and shows how many have been sent. publish needs API_BASE_URL and " +
      "QUEUE_TOKEN, status needs POSTGRES_URL, and QUEUE_TOKEN to ask the queue what it has given up on. Without these settings both " +
      "use a running local stack.",
  );
  program
    .command("publish <file>")
    .description("publish an NDJSON file, one job on each line, to the queue (- reads standard input)")
    .option("--rate <number>", "maximum e-mails per second", wholeNumber(1, 1_000), DEFAULT_RATE)
    .option("--from-line <number>", "continue an earlier run from this line", wholeNumber(1, 1e9), 1)
    .option("--concurrency <number>", "concurrent requests to the queue", wholeNumber(1, 100), 4)
    .option("--dry-run", "check the file, render every e-mail, and publish nothing")
    .addHelpText(
      "after",
      "\nEvery e-mail is rendered before the first one is published. It is safe to stop and repeat: a job is " +
        "sent once while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS).",
    )
    .action((file: string, options: PublishOptions) => publish(session, file, options));
  program
    .command("status <campaign-id>")
    .description("show how many e-mails of a campaign have been sent")
    .option("--file <file>", "show what became of every job in this file")
    .option("--json", "print the result as JSON")
    // Ids in jobs are normalized in the same way.
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
  const opened = await openForTwoReadings(session, file);
  try {
    await publishFile(session, opened, file, options);
  } finally {
    await opened.close();
  }
}

/** The file is read once to check it and once to publish it. A pipe can only be read once, so its content is copied. */
async function openForTwoReadings({ terminal }: Session, file: string): Promise<FileHandle> {
  if (file === "-") return copyToUnnamedFile(terminal.stdin);
  const opened = await openFile(file);
  return (await opened.stat()).isFile() ? opened : copyToUnnamedFile(opened.createReadStream());
}

/** The file is deleted while it is open and empty: however this process ends, no addresses are left on the disk. */
async function copyToUnnamedFile(input: AsyncIterable<Uint8Array | string>): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), "campaign-"));
  const deleteFolder = () => rm(folder, { recursive: true, force: true });
  const copy = await open(join(folder, "copy"), "wx+", 0o600).finally(deleteFolder);
  try {
    await writeFile(copy, input);
    return copy;
  } catch (error) {
    await copy.close();
    throw error;
  }
}

/** @param file as it was given, for messages */
async function publishFile(
  session: Session,
  opened: FileHandle,
  file: string,
  options: PublishOptions,
): Promise<void> {
  const { console, terminal } = session;
  // A destroyed stream closes its file even with `autoClose: false`. Reading may end early, and the file is needed after that.
  const read = (): AsyncIterable<Uint8Array> =>
    opened.createReadStream({ start: 0, autoClose: false }).iterator({ destroyOnReturn: false });
  const source = session.environment("QUEUE_TOKEN");
  const { UNSUBSCRIBE_URL: unsubscribeUrl } = parseOnly(source, "UNSUBSCRIBE_URL");
  const statBefore = await opened.stat();
  const checking = new Progress(terminal.stderr);
  const checked = await checkCampaign(read(), unsubscribeUrl, {
    from: options.fromLine,
    hosted: hostedUnsubscribeIn(source),
    onLine: (line) => checking.show(() => `${line} ${line === 1 ? "line" : "lines"} checked`),
  }).finally(() => checking.end());
  const { jobs, repeatedLines, campaignId, ignored } = checked;
  const fromText =
    options.fromLine === 1 ? "" : ` from line ${options.fromLine} on, ${checked.jobsBefore} before it`;
  const skipped =
    repeatedLines.size === 0 ? "" : ` (${repeatedLines.size} more for recipients that are in it already)`;
  console.error(`${countJobs(jobs)} in ${file === "-" ? "the input" : file}${fromText}${skipped}.`);
  for (const [member, line] of ignored)
    console.error(`  line ${line}: ${member}: jobs have no such member, so it is ignored`);
  if (options.dryRun) return console.error("Every e-mail can be sent. Nothing was published.");

  const env = parseOnly(source, "API_BASE_URL", "QUEUE_URL", "QUEUE_TOKEN");
  const signal = terminal.catchSignals();
  signal.addEventListener("abort", () =>
    console.error("\nStopping after the current requests. Press Ctrl-C again to stop at once."),
  );
  const publishing = new Progress(terminal.stderr);
  const outcome = await publishCampaign(
    readMessages(read(), { from: options.fromLine, skip: repeatedLines }),
    {
      queue: createQueue({ url: env.QUEUE_URL, token: env.QUEUE_TOKEN }),
      apiBaseUrl: env.API_BASE_URL,
      rate: options.rate,
      concurrency: options.concurrency,
      from: options.fromLine,
      signal,
      onProgress: ({ new: added, duplicate, refused }) => {
        const done = added + duplicate;
        publishing.show((perSecond) => {
          const open = jobs - done - refused;
          const left = open > 0 && perSecond > 0 ? `, ${formatDuration(open / perSecond)} left` : "";
          return `${done} of ${jobs} published${refused > 0 ? `, ${refused} refused` : ""}, ${Math.round(perSecond)} per second${left}`;
        }, done + refused);
      },
    },
  ).finally(() => publishing.end());
  const after = await opened.stat();
  const hasChanged = after.mtimeMs !== statBefore.mtimeMs || after.size !== statBefore.size;
  session.exitCode = summarize(session, outcome, { jobs, file, hasChanged, rate: options.rate });
  if (session.exitCode === 0)
    console.error(
      `At the maximum rate of ${options.rate} per second, sending the new ones takes about ` +
        `${formatDuration(outcome.new / options.rate)}. ` +
        `To follow it: npm run campaign -- status ${quote(campaignId)}`,
    );
}

/** The app adds a link to its own unsubscribe page to e-mails, which counts towards their size. */
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
  { jobs, file, hasChanged, rate }: { jobs: number; file: string; hasChanged: boolean; rate: number },
): number {
  const { new: added, duplicate, refused, refusals, stopped, continueFrom } = outcome;
  const published = added + duplicate;
  const counts = [
    `${added} new`,
    duplicate > 0 && `${duplicate} already queued`,
    refused > 0 && `${refused} refused`,
  ];
  const details = duplicate + refused === 0 ? "" : ` (${counts.filter(Boolean).join(", ")})`;
  console.log(`Published ${published} of ${countJobs(jobs)}${details}.`);
  if (hasChanged)
    console.error("The file changed during publishing: some of the published jobs were not checked.");
  for (const line of listIssues(refusals, refused)) console.error(line);
  if (refused > 0)
    console.error(
      "To publish the refused jobs, run the same command again: what was sent is not sent twice.",
    );
  if (stopped !== undefined) {
    console.error(stopped);
    // In a file that has changed, the line number means nothing. Publishing all of it again is safe.
    const fromLine = hasChanged ? "" : ` --from-line ${continueFrom}`;
    const withRate = rate === DEFAULT_RATE ? "" : ` --rate ${rate}`;
    // docs/guide/email.md says that this is the last line.
    console.error(`To continue: npm run campaign -- publish ${quote(file)}${fromLine}${withRate}`);
  }
  // A file that was truncated is published to its end, and is not complete.
  return stopped === undefined && refused === 0 && published === jobs ? 0 : 1;
}

async function showStatus(session: Session, id: string, { file, json }: StatusOptions): Promise<void> {
  const { console } = session;
  await session.withDatabase(async (database, env) => {
    if (file !== undefined) {
      const opened = await openFile(file);
      const givenUp = await askGivenUp(env, id);
      const status = await readFileStatus(database, id, opened.createReadStream(), givenUp.jobs);
      if (json) return console.log(asJson(status, givenUp));
      warnAboutQueue(session, givenUp);
      console.log(`${countJobs(status.jobs)} of this campaign in ${file}.`);
      const lines = [...describeStatus(status, status.waitingLines), ...describeGivenUpJobs(status.givenUp)];
      for (const line of [...lines, ...describeRest(status, file)]) console.log(line);
      return;
    }
    const givenUpJobs = await askGivenUp(env, id);
    const status = await readCampaignStatus(database, id, givenUpJobs.jobs);
    if (json) return console.log(asJson(status, givenUpJobs));
    warnAboutQueue(session, givenUpJobs);
    const { sent, sending, waiting, suppressed, givenUp } = status;
    if (sent + sending + waiting + suppressed + givenUp.length === 0)
      throw new Error(
        "There are no records of this campaign: the queue has not delivered any of its jobs yet, or the id is " +
          `wrong. Or it was sent: ${RECORDS_MAY_BE_MISSING}.`,
      );
    for (const line of [...describeStatus(status), ...describeGivenUpJobs(givenUp)]) console.log(line);
  });
}

/** The jobs that the queue has given up on, or why they are unknown. */
type AskedGivenUp = GivenUpJobList & { problem?: string };

function asJson(status: CampaignStatus, { isComplete, problem }: AskedGivenUp): string {
  const queue = problem === undefined ? { isAsked: true, isComplete } : { isAsked: false, problem };
  return JSON.stringify({ ...status, queue });
}

function warnAboutQueue({ console }: Session, { isComplete, problem }: AskedGivenUp): void {
  if (problem !== undefined)
    console.error(`Could not list the jobs that the queue has given up on: ${problem}`);
  else if (!isComplete)
    console.error("The queue has given up on so many jobs that only the newest were read.");
}

/** Never rejects: the records are shown even if the request to the queue fails, with the problem. */
async function askGivenUp(source: Record<string, string | undefined>, id: string): Promise<AskedGivenUp> {
  const unknown = (problem: string) => ({ jobs: new Map(), isComplete: false, problem });
  if (!source.QUEUE_TOKEN?.trim()) return unknown("QUEUE_TOKEN is not set.");
  try {
    const { QUEUE_URL: url, QUEUE_TOKEN: token } = parseOnly(source, "QUEUE_URL", "QUEUE_TOKEN");
    const destination = source.API_BASE_URL?.trim()
      ? parseOnly(source, "API_BASE_URL").API_BASE_URL + CAMPAIGN_JOB_PATH
      : undefined;
    return await readDeadLetters(createQueue({ url, token }), id, destination);
  } catch (error) {
    return unknown(error instanceof EnvError ? `${error.issues.join("; ")}.` : messageOf(error));
  }
}

/** Each job that the queue has given up on, without its address, and what to do about them. */
function describeGivenUpJobs(jobs: readonly ListedGivenUpJob[]): string[] {
  if (jobs.length === 0) return [];
  const listed = jobs.slice(0, MAX_LISTED_ISSUES).map(({ line, recipientHash, status, reason }) => {
    const which = line === undefined ? `recipient ${recipientHash}` : `line ${line}`;
    return `  ${which}: ${status === null ? "" : `${status}, `}${reason}`;
  });
  const more = jobs.length - listed.length;
  return [
    `${jobs.length} given up on by the queue, and not sent:`,
    ...listed,
    ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
    "To send them, remove the cause and publish the file again: what was sent is not sent twice.",
  ];
}

/** @param waitingLines the first waiting lines of a file */
function describeStatus(
  { sent, sending, waiting, suppressed, lastSentAt }: CampaignStatus,
  waitingLines: number[] = [],
): string[] {
  return [
    `${sent} sent${lastSentAt ? `, the last on ${lastSentAt}` : ""}.`,
    ...(sending > 0 ? [`${sending} being sent.`] : []),
    ...(suppressed > 0
      ? [`${suppressed} not sent: the recipients are suppressed (npm run suppressions -- list).`]
      : []),
    ...(waiting > 0
      ? [
          `${waiting} started but not recorded as sent: the queue will retry them unless it has given up on them${listLines(waitingLines, waiting)}.`,
        ]
      : []),
  ];
}

/** Describes the jobs of a file that were not sent, and what to do about them. */
function describeRest(
  { jobs, unknown, unknownLines, sending, waiting, givenUp }: FileStatus,
  file: string,
): string[] {
  if (unknown + sending + waiting === 0) return givenUp.length > 0 ? [] : ["Nothing is left to send."];
  const publishAgain = `npm run campaign -- publish ${quote(file)}`;
  // Without records, the job endpoint cannot know who has the e-mail already.
  if (unknown === jobs)
    return [
      `No job has a record: the queue has not delivered them yet, or has given up on them. Or they were sent: ${RECORDS_MAY_BE_MISSING}.`,
      "Before you publish, check the campaign's id, the database, and when it was published: without records, " +
        "everybody gets the e-mail again. " +
        `If nobody got it, and the queue has no more of the jobs: ${publishAgain}`,
    ];
  const lines: string[] = [];
  if (unknown > 0)
    lines.push(
      `${unknown} without a record: the queue has not delivered them yet, ` +
        `or has given up on them${listLines(unknownLines, unknown)}. Or they were sent: ${RECORDS_MAY_BE_MISSING}.`,
    );
  if (unknown + waiting > 0)
    lines.push(
      `If the queue has no more of them: ${publishAgain}. ` +
        "What was sent is not sent twice while its record is kept (EMAIL_DELIVERIES_KEEP_DAYS)." +
        (waiting > 0 ? " Started jobs may have been sent." : ""),
    );
  return lines;
}

/** @param total number of lines, of which `lines` are the first */
function listLines(lines: readonly number[], total: number): string {
  if (lines.length === 0) return "";
  return ` (${total === 1 ? "line" : "lines"} ${lines.join(", ")}${total > lines.length ? ", …" : ""})`;
}

const countJobs = (count: number) => (count === 1 ? "1 job" : `${count} jobs`);

/** Quotes an argument for a shell. */
function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A duration like `12 min`, rounded up. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.ceil(whole / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function wholeNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

await runAsProcess(import.meta.url, "campaign", campaign);
