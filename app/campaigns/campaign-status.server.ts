import type { Database } from "../providers/database.server";
import { readJobs } from "./campaign-file.server";
import { DELIVERY_CLAIM_SECONDS } from "./claim-delivery.server";

/** What `email_deliveries` says about a campaign. It has no row for a job that was not delivered yet or was refused. */
export interface CampaignStatus {
  sent: number;
  /** handed to the mail provider at this moment */
  sending: number;
  /** a delivery claimed the job and did not finish; the next delivery takes over, unless the queue has given up */
  waiting: number;
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
  /** jobs without a record: not delivered yet, or given up by the queue, or their record was deleted */
  unknown: number;
  /** the first lines without a record */
  unknownLines: number[];
}

type State = "sent" | "sending" | "waiting" | "suppressed";

/** A delivery's state in SQL: a claim that has expired is waiting. */
const STATE = `CASE WHEN status <> 'claimed' THEN status
  WHEN claimed_at <= now() AT TIME ZONE 'utc' - interval '${DELIVERY_CLAIM_SECONDS} seconds' THEN 'waiting'
  ELSE 'sending' END`;

/** Recipients to look up with one statement. */
const BATCH_SIZE = 1_000;
const MAX_LISTED_LINES = 10;

export async function readCampaignStatus(database: Database, campaignId: string): Promise<CampaignStatus> {
  const status = emptyStatus();
  const rows = await database.$driverQuery<{ state: State; count: number; lastSentAt: Date | null }>(
    `SELECT ${STATE} AS state, count(*)::int AS count, max(sent_at) AT TIME ZONE 'utc' AS "lastSentAt"
       FROM email_deliveries WHERE campaign_id = $1 GROUP BY 1`,
    [campaignId],
  );
  for (const { state, count, lastSentAt } of rows) add(status, state, count, lastSentAt);
  return status;
}

/**
 * Reads the state of each job in a campaign's file.
 * @throws Error at an invalid line, and if the file has no job of this campaign
 */
export async function readFileStatus(
  database: Database,
  campaignId: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<FileStatus> {
  const status: FileStatus = { ...emptyStatus(), jobs: 0, waitingLines: [], unknown: 0, unknownLines: [] };
  const seen = new Set<string>();
  const lineOf = new Map<string, number>();
  const lookUp = async () => {
    const rows = await database.$driverQuery<{ recipient: string; state: State; sentAt: Date | null }>(
      `SELECT recipient, ${STATE} AS state, sent_at AT TIME ZONE 'utc' AS "sentAt"
         FROM email_deliveries WHERE campaign_id = $1 AND recipient = ANY($2)`,
      [campaignId, [...lineOf.keys()]],
    );
    const waiting: number[] = [];
    for (const { recipient, state, sentAt } of rows) {
      const line = lineOf.get(recipient);
      if (state === "waiting" && line !== undefined) waiting.push(line);
      lineOf.delete(recipient);
      add(status, state, 1, sentAt);
    }
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
  lastSentAt: null,
});

function add(status: CampaignStatus, state: State, count: number, sentAt: Date | null): void {
  status[state] += count;
  const at = sentAt?.toISOString() ?? null;
  if (at !== null && (status.lastSentAt === null || at > status.lastSentAt)) status.lastSentAt = at;
}
