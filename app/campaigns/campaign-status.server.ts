import { hash } from "node:crypto";
import type { Database } from "../providers/database.server";
import { readJobs } from "./campaign-file.server";
import { findOutcomes, type Outcome } from "./campaign-outcomes.server";
import { countStates, type JobRecord, type RecordedState, readRecords } from "./campaigns.sql.server";
import type { GivenUpJob, GivenUpJobs } from "./given-up-jobs.server";

/** A job in the state `givenUp`. */
export interface ListedGivenUpJob extends GivenUpJob {
  /** of the file, if there is one */
  line?: number;
  /** the first 12 hexadecimal digits of the SHA-256 of the address in lower case */
  recipientHash: string;
}

/** The jobs of a campaign by their state, as far as `email_deliveries` and the queue know of them. README.md defines the states. */
export interface CampaignStatus {
  sent: number;
  sending: number;
  waiting: number;
  givenUp: ListedGivenUpJob[];
  suppressed: number;
  /** ISO 8601; null if nothing was sent */
  lastSentAt: string | null;
}

/** The jobs of a file; each is counted once, either in CampaignStatus or as `unknown`. */
export interface FileStatus extends CampaignStatus {
  jobs: number;
  /** the first ones */
  waitingLines: number[];
  unknown: number;
  /** the first ones */
  unknownLines: number[];
}

/** The state of one line of a file. */
export interface LineStatus {
  line: number;
  /** the address, in lower case */
  recipient: string;
  /** `repeated`: an earlier line has the recipient */
  state: JobState | "repeated";
  /** the mail provider's, if it was sent */
  messageId?: string;
  /** ISO 8601 */
  sentAt?: string;
  /** the latest one */
  outcome?: Outcome;
  /** of a job that the queue has given up on */
  reason?: string;
}

type JobState = RecordedState | "givenUp" | "unknown";

/** Recipients to look up with one statement. */
const BATCH_SIZE = 1_000;
const MAX_LISTED_LINES = 10;

/** @param givenUp empty if the queue was not asked */
export async function readCampaignStatus(
  database: Database,
  campaignId: string,
  givenUp: GivenUpJobs = new Map(),
): Promise<CampaignStatus> {
  const status = emptyStatus();
  for (const { state, count, lastSentAt } of await countStates(database, campaignId)) {
    status[state] += count;
    noteSentAt(status, lastSentAt);
  }
  const jobs = [...givenUp];
  for (let start = 0; start < jobs.length; start += BATCH_SIZE) {
    const batch = jobs.slice(start, start + BATCH_SIZE);
    const recipients = batch.map(([recipient]) => recipient);
    const records = await recordsOf(database, campaignId, recipients);
    for (const [recipient, givenUpJob] of batch) {
      const record = records.get(recipient);
      if (!canBeGivenUp(record)) continue;
      // Counted above.
      if (record?.state === "waiting") status.waiting--;
      status.givenUp.push({ recipientHash: hashOf(recipient), ...givenUpJob });
    }
  }
  return status;
}

const recordsOf = async (
  database: Database,
  campaignId: string,
  recipients: string[],
): Promise<Map<string, JobRecord>> =>
  new Map((await readRecords(database, campaignId, recipients)).map((row) => [row.recipient, row]));

/** Not if it was published again since, and is sent or being sent. */
const canBeGivenUp = (record: JobRecord | undefined) => record === undefined || record.state === "waiting";

const hashOf = (recipient: string) => hash("sha256", recipient).slice(0, 12);

/**
 * Reads the state of each job in a campaign's file.
 * @param options.onLine gets the state of each line, in the file's order but for repeated ones
 * @throws Error at an invalid line, and if the file has no job of this campaign
 */
export async function readFileStatus(
  database: Database,
  campaignId: string,
  chunks: AsyncIterable<Uint8Array>,
  {
    givenUp = new Map(),
    onLine,
  }: { givenUp?: GivenUpJobs; onLine?: ((line: LineStatus) => void) | undefined } = {},
): Promise<FileStatus> {
  const status: FileStatus = { ...emptyStatus(), jobs: 0, waitingLines: [], unknown: 0, unknownLines: [] };
  const seen = new Set<string>();
  const lineOf = new Map<string, number>();
  const lookUp = async () => {
    const recipients = [...lineOf.keys()];
    const [records, outcomes] = await Promise.all([
      recordsOf(database, campaignId, recipients),
      onLine ? findOutcomes(database, campaignId, recipients) : new Map<string, Outcome>(),
    ]);
    for (const [recipient, line] of lineOf) {
      const record = records.get(recipient);
      const givenUpJob = canBeGivenUp(record) ? givenUp.get(recipient) : undefined;
      const state = givenUpJob ? "givenUp" : (record?.state ?? "unknown");
      if (state !== "givenUp") status[state]++;
      if (givenUpJob) status.givenUp.push({ line, recipientHash: hashOf(recipient), ...givenUpJob });
      if (state === "waiting") addLine(status.waitingLines, line);
      if (state === "unknown") addLine(status.unknownLines, line);
      if (state === "sent") noteSentAt(status, record?.sentAt ?? null);
      const outcome = outcomes.get(recipient);
      onLine?.({
        line,
        recipient,
        state,
        ...(record?.messageId && { messageId: record.messageId }),
        ...(record?.sentAt && { sentAt: record.sentAt.toISOString() }),
        ...(outcome && { outcome }),
        ...(givenUpJob && { reason: givenUpJob.reason }),
      });
    }
    lineOf.clear();
  };
  for await (const read of readJobs(chunks)) {
    if ("issue" in read) throw new Error(`Line ${read.line} is not a valid campaign job: ${read.issue}`);
    const { recipient } = read.key;
    if (read.key.campaignId !== campaignId) continue;
    if (seen.has(recipient)) {
      onLine?.({ line: read.line, recipient, state: "repeated" });
      continue;
    }
    seen.add(recipient);
    status.jobs++;
    if (lineOf.set(recipient, read.line).size === BATCH_SIZE) await lookUp();
  }
  if (status.jobs === 0) throw new Error("No job in the file belongs to this campaign.");
  if (lineOf.size > 0) await lookUp();
  return status;
}

function addLine(listed: number[], line: number): void {
  if (listed.length < MAX_LISTED_LINES) listed.push(line);
}

const emptyStatus = (): CampaignStatus => ({
  sent: 0,
  sending: 0,
  waiting: 0,
  suppressed: 0,
  givenUp: [],
  lastSentAt: null,
});

function noteSentAt(status: CampaignStatus, sentAt: Date | null): void {
  const at = sentAt?.toISOString() ?? null;
  if (at !== null && (status.lastSentAt === null || at > status.lastSentAt)) status.lastSentAt = at;
}
