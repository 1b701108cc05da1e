import { hash } from "node:crypto";
import { type Database, NOW } from "../providers/database.server";
import { readJobs } from "./campaign-file.server";
import type { GivenUpJob } from "./dead-letters.server";
import { JOB_CLAIM_SECONDS } from "./job-claims.server";

/** A job that the queue has given up on, and whose e-mail was not sent. */
export interface ListedGivenUpJob extends GivenUpJob {
  /** of the file, if there is one */
  line?: number;
  /** the first 12 hexadecimal digits of the SHA-256 of the address in lower case */
  recipientHash: string;
}

/**
 * What `email_deliveries` and the queue say about a campaign. There is no row for a job that was not delivered yet or was refused.
 */
export interface CampaignStatus {
  sent: number;
  /** handed to the mail provider at this moment */
  sending: number;
  /** An attempt has claimed the job and not finished. If the queue makes a later one, that takes the job over. */
  waiting: number;
  /** jobs that the queue has given up on, and that are in no other state */
  givenUp: ListedGivenUpJob[];
  /** not sent, because the recipient is suppressed */
  suppressed: number;
  /** ISO 8601; null if nothing was sent */
  lastSentAt: string | null;
}

/** The jobs of a file; each is counted once, either in CampaignStatus or as `unknown`. */
export interface FileStatus extends CampaignStatus {
  jobs: number;
  /** the first waiting lines */
  waitingLines: number[];
  /** jobs without a record: not delivered yet, or given up on by the queue, or their record was deleted */
  unknown: number;
  /** the first lines without a record */
  unknownLines: number[];
}

type State = "sent" | "sending" | "waiting" | "suppressed";

/** A job's state in SQL: one whose claim has expired is waiting. */
const STATE = `CASE WHEN status <> 'claimed' THEN status
  WHEN claimed_at <= ${NOW} - interval '${JOB_CLAIM_SECONDS} seconds' THEN 'waiting'
  ELSE 'sending' END`;

/** Recipients to look up with one statement. */
const BATCH_SIZE = 1_000;
const MAX_LISTED_LINES = 10;

/** The jobs that the queue has given up on, by recipient; empty if unknown. */
type GivenUpJobs = ReadonlyMap<string, GivenUpJob>;

export async function readCampaignStatus(
  database: Database,
  campaignId: string,
  givenUp: GivenUpJobs = new Map(),
): Promise<CampaignStatus> {
  const status = emptyStatus();
  const rows = await database.$driverQuery<{ state: State; count: number; lastSentAt: Date | null }>(
    `SELECT ${STATE} AS state, count(*)::int AS count, max(sent_at) AT TIME ZONE 'UTC' AS "lastSentAt"
       FROM email_deliveries WHERE campaign_id = $1 GROUP BY 1`,
    [campaignId],
  );
  for (const { state, count, lastSentAt } of rows) add(status, state, count, lastSentAt);
  const recipients = [...givenUp.keys()];
  for (let start = 0; start < recipients.length; start += BATCH_SIZE) {
    const batch = recipients.slice(start, start + BATCH_SIZE);
    const states = new Map(
      (await readStates(database, campaignId, batch)).map(({ recipient, state }) => [recipient, state]),
    );
    for (const recipient of batch) {
      const state = states.get(recipient);
      // It was published again since.
      if (state !== undefined && state !== "waiting") continue;
      if (state === "waiting") status.waiting--;
      addGivenUpJob(status, recipient, givenUp);
    }
  }
  return status;
}

const readStates = (database: Database, campaignId: string, recipients: string[]) =>
  database.$driverQuery<{ recipient: string; state: State; sentAt: Date | null }>(
    `SELECT recipient, ${STATE} AS state, sent_at AT TIME ZONE 'UTC' AS "sentAt"
       FROM email_deliveries WHERE campaign_id = $1 AND recipient = ANY($2)`,
    [campaignId, recipients],
  );

/** @returns whether the queue has given the job up */
function addGivenUpJob(
  status: CampaignStatus,
  recipient: string,
  givenUp: GivenUpJobs,
  line?: number,
): boolean {
  const job = givenUp.get(recipient);
  if (job === undefined) return false;
  const recipientHash = hash("sha256", recipient).slice(0, 12);
  status.givenUp.push({ ...(line === undefined ? {} : { line }), recipientHash, ...job });
  return true;
}

/**
 * Reads the state of each job in a campaign's file.
 * @throws Error at an invalid line, and if the file has no job of this campaign
 */
export async function readFileStatus(
  database: Database,
  campaignId: string,
  chunks: AsyncIterable<Uint8Array>,
  givenUp: GivenUpJobs = new Map(),
): Promise<FileStatus> {
  const status: FileStatus = { ...emptyStatus(), jobs: 0, waitingLines: [], unknown: 0, unknownLines: [] };
  const seen = new Set<string>();
  const lineOf = new Map<string, number>();
  const lookUp = async () => {
    const rows = await readStates(database, campaignId, [...lineOf.keys()]);
    const waiting: number[] = [];
    for (const { recipient, state, sentAt } of rows) {
      const line = lineOf.get(recipient);
      // A waiting job is looked up among those that were given up on, below.
      if (state === "waiting" && givenUp.has(recipient)) continue;
      if (state === "waiting" && line !== undefined) waiting.push(line);
      lineOf.delete(recipient);
      add(status, state, 1, sentAt);
    }
    for (const [recipient, line] of lineOf)
      if (addGivenUpJob(status, recipient, givenUp, line)) lineOf.delete(recipient);
    status.unknown += lineOf.size;
    addLines(status.unknownLines, [...lineOf.values()]);
    addLines(
      status.waitingLines,
      waiting.sort((a, b) => a - b),
    );
    lineOf.clear();
  };
  for await (const read of readJobs(chunks)) {
    if ("issue" in read) throw new Error(`Line ${read.line} is not a valid campaign job: ${read.issue}`);
    const { recipient } = read.key;
    if (read.key.campaignId !== campaignId || seen.has(recipient)) continue;
    seen.add(recipient);
    status.jobs++;
    if (lineOf.set(recipient, read.line).size === BATCH_SIZE) await lookUp();
  }
  if (status.jobs === 0) throw new Error("No job in the file belongs to this campaign.");
  if (lineOf.size > 0) await lookUp();
  return status;
}

function addLines(listed: number[], lines: number[]): void {
  listed.push(...lines.slice(0, MAX_LISTED_LINES - listed.length));
}

const emptyStatus = (): CampaignStatus => ({
  sent: 0,
  sending: 0,
  waiting: 0,
  suppressed: 0,
  givenUp: [],
  lastSentAt: null,
});

function add(status: CampaignStatus, state: State, count: number, sentAt: Date | null): void {
  status[state] += count;
  const at = sentAt?.toISOString() ?? null;
  if (at !== null && (status.lastSentAt === null || at > status.lastSentAt)) status.lastSentAt = at;
}
