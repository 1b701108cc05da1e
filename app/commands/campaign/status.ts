import { MAX_LISTED_ISSUES } from "../../campaigns/campaign-file.server";
import { countOutcomes, type Outcome } from "../../campaigns/campaign-outcomes.server";
import {
  type CampaignStatus,
  type FileStatus,
  type ListedGivenUpJob,
  readCampaignStatus,
  readFileStatus,
} from "../../campaigns/campaign-status.server";
import { findGivenUpJobs, type GivenUpJobs } from "../../campaigns/given-up-jobs.server";
import { findStop, type StoppedCampaign } from "../../campaigns/stopped-campaigns.server";
import type { EnvVariables } from "../../env/env.server";
import { openFile, type Session } from "../run-command";
import { openQueue, problemOf } from "./queue";
import { countJobs, listNumbers, quote } from "./wording";

/** Why there may be no record of an e-mail that was sent. */
const RECORDS_MAY_BE_MISSING =
  "npm run cleanup deletes records older than EMAIL_DELIVERIES_KEEP_DAYS, and POSTGRES_URL may name another database";

export interface StatusOptions {
  file?: string;
  lines?: boolean;
  json?: boolean;
}

/** `npm run campaign -- status ID` */
export async function showStatus(session: Session, id: string, options: StatusOptions): Promise<void> {
  const { file, lines, json } = options;
  if (lines && file === undefined) throw new Error("--lines needs --file FILE.");
  await session.withDatabase(async (database, variables) => {
    const queue = await askQueue(variables, id);
    const [outcomes, stopped] = await Promise.all([countOutcomes(database, id), findStop(database, id)]);
    const status =
      file === undefined
        ? await readCampaignStatus(database, id, queue.givenUp)
        : await readFileStatus(database, id, (await openFile(file)).createReadStream(), {
            givenUp: queue.givenUp,
            onLine: lines ? (line) => session.console.log(JSON.stringify(line)) : undefined,
          });
    if (json && !lines) return session.console.log(asJson(status, outcomes, stopped, queue));
    // With --lines, standard output has nothing but lines.
    const say = lines ? session.console.error : session.console.log;
    warnAboutQueue(session, queue);
    if (file === undefined) requireRecords(status, stopped);
    for (const line of describe(status, outcomes, stopped, file)) say(line);
  });
}

function requireRecords(
  { sent, sending, waiting, suppressed, givenUp }: CampaignStatus,
  stopped: unknown,
): void {
  if (sent + sending + waiting + suppressed + givenUp.length > 0 || stopped) return;
  throw new Error(
    "There are no records of this campaign: the queue has not delivered any of its jobs yet, or the id is " +
      `wrong. Or it was sent: ${RECORDS_MAY_BE_MISSING}.`,
  );
}

function describe(
  status: CampaignStatus | FileStatus,
  outcomes: Record<Outcome, number>,
  stopped: StoppedCampaign | null,
  file: string | undefined,
): string[] {
  const ofFile = "jobs" in status && file !== undefined ? { ...status, file } : undefined;
  return [
    ...(ofFile ? [`${countJobs(ofFile.jobs)} of this campaign in ${ofFile.file}.`] : []),
    ...(stopped ? [`${stopped.state === "paused" ? "Paused" : "Cancelled"} since ${stopped.since}.`] : []),
    ...describeStatus(status, ofFile?.waitingLines),
    ...describeOutcomes(status, outcomes),
    ...describeGivenUpJobs(status.givenUp),
    ...(ofFile && stopped ? describeStopped(ofFile, stopped) : []),
    ...(ofFile && !stopped ? describeRest(ofFile, ofFile.file) : []),
  ];
}

interface AskedQueue {
  givenUp: GivenUpJobs;
  isComplete: boolean;
  /** why the queue could not be asked */
  problem?: string;
}

function asJson(
  status: CampaignStatus,
  outcomes: Record<Outcome, number>,
  stopped: StoppedCampaign | null,
  { isComplete, problem }: AskedQueue,
): string {
  const queue = problem === undefined ? { isAsked: true, isComplete } : { isAsked: false, problem };
  return JSON.stringify({ ...status, outcomes, stopped, queue });
}

function warnAboutQueue({ console }: Session, { isComplete, problem }: AskedQueue): void {
  if (problem !== undefined)
    console.error(`Could not list the jobs that the queue has given up on: ${problem}`);
  else if (!isComplete)
    console.error("The queue has given up on so many jobs that only the newest were read.");
}

/** Never rejects: the records are shown even if the request to the queue fails, with the problem. */
async function askQueue(variables: EnvVariables, id: string): Promise<AskedQueue> {
  try {
    const { queue, destination } = openQueue(variables);
    return await findGivenUpJobs(queue, id, destination);
  } catch (error) {
    return { givenUp: new Map(), isComplete: false, problem: problemOf(error) };
  }
}

/** What the mail provider said of the e-mails that were sent. */
function describeOutcomes({ sent }: CampaignStatus, outcomes: Record<Outcome, number>): string[] {
  const { delivered, bounced, complained, opened, clicked, unsubscribed } = outcomes;
  if (sent === 0) return [];
  if (Object.values(outcomes).every((count) => count === 0))
    return ["Nothing is known yet of what became of them (docs/guide/bounces.md)."];
  return [
    `Of these, ${delivered} delivered, ${bounced} bounced, ${complained} marked as spam, ${unsubscribed} unsubscribed.`,
    ...(opened + clicked > 0 ? [`${opened} opened, ${clicked} clicked on a link.`] : []),
  ];
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
    "To send them, remove the cause and publish the file again, with --again within ten minutes: what was sent is not sent twice.",
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
          `${waiting} waiting to be tried again${listLines(waitingLines, waiting)}: an attempt has started, and is not recorded as sent.`,
        ]
      : []),
  ];
}

/** While a campaign is stopped, it is no surprise that jobs are not sent. */
function describeStopped({ unknown, waiting }: FileStatus, { state }: StoppedCampaign): string[] {
  return unknown + waiting === 0 ? [] : [`${unknown + waiting} not sent: the campaign is ${state}.`];
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
        (waiting > 0 ? " Waiting jobs may have been sent." : ""),
    );
  return lines;
}

/** @param total number of lines, of which `lines` are the first */
function listLines(lines: readonly number[], total: number): string {
  if (lines.length === 0) return "";
  return ` (${total === 1 ? "line" : "lines"} ${listNumbers(lines, total)})`;
}
