import type { Database } from "../providers/database.server";
import { readJobs } from "./campaign-file.server";
import { CLAIM_SECONDS } from "./claim-delivery.server";

export interface CampaignStatus {
  sent: number;
  /** handed to the mail provider at this moment */
  sending: number;
  /** begun by a delivery that did not come to its end; the next one takes it over, unless the queue has given it up */
  waiting: number;
  /** not sent, because their recipients get no such e-mail */
  suppressed: number;
  /** ISO 8601; null when nothing has been sent */
  lastSentAt: string | null;
}

/** The jobs of a file, each in one of these, `unknown` among them. */
export interface FileStatus extends CampaignStatus {
  jobs: number;
  /** the first lines of those that wait */
  waitingLines: number[];
  /** without a record: the queue has not delivered them yet, or has given them up, or their records are deleted or elsewhere */
  unknown: number;
  /** the first lines of those without a record */
  unknownLines: number[];
}

type State = "sent" | "sending" | "waiting" | "suppressed";

/** Recipients that are asked for at a time. */
const BATCH = 1_000;
/** lines that are named */
const MAX_LINES = 10;

/** What `email_deliveries` knows of a campaign: jobs that the queue has not delivered yet, and those that were refused, are not in it. */
export async function readCampaignStatus(database: Database, campaignId: string): Promise<CampaignStatus> {
  const status = noneYet();
  const rows = await database.$queryRaw<{ state: State; count: number; sent_at: Date | null }[]>`
    SELECT CASE WHEN status <> 'claimed' THEN status
                WHEN claimed_at <= now() AT TIME ZONE 'utc' - ${CLAIM_SECONDS} * interval '1 second' THEN 'waiting'
                ELSE 'sending' END AS state,
           count(*)::int AS count, max(sent_at) AS sent_at
      FROM email_deliveries WHERE campaign_id = ${campaignId} GROUP BY 1`;
  for (const { state, count, sent_at } of rows) add(status, state, count, sent_at);
  return status;
}

/**
 * What became of each job of a campaign's file.
 * @throws Error at a line that is no job, or when no job is of this campaign
 */
export async function readFileStatus(
  database: Database,
  campaignId: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<FileStatus> {
  const status: FileStatus = { ...noneYet(), jobs: 0, waitingLines: [], unknown: 0, unknownLines: [] };
  let lines = new Map<string, number>();
  const look = async () => {
    const rows = await database.$queryRaw<{ recipient: string; state: State; sent_at: Date | null }[]>`
      SELECT recipient, sent_at,
             CASE WHEN status <> 'claimed' THEN status
                  WHEN claimed_at <= now() AT TIME ZONE 'utc' - ${CLAIM_SECONDS} * interval '1 second' THEN 'waiting'
                  ELSE 'sending' END AS state
        FROM email_deliveries WHERE campaign_id = ${campaignId} AND recipient = ANY(${[...lines.keys()]})`;
    const waiting: number[] = [];
    for (const { recipient, state, sent_at } of rows) {
      const line = lines.get(recipient);
      if (state === "waiting" && line !== undefined) waiting.push(line);
      lines.delete(recipient);
      add(status, state, 1, sent_at);
    }
    status.unknown += lines.size;
    addFirst(status.unknownLines, [...lines.values()]);
    addFirst(
      status.waitingLines,
      waiting.sort((a, b) => a - b),
    );
    lines = new Map();
  };
  for await (const read of readJobs(chunks)) {
    if ("issue" in read) throw new Error(`Line ${read.line} is no campaign job: ${read.issue}`);
    if (read.isRepeated || read.campaignId !== campaignId) continue;
    status.jobs++;
    if (lines.set(read.recipient, read.line).size === BATCH) await look();
  }
  if (status.jobs === 0) throw new Error("No job in the file is of this campaign.");
  if (lines.size > 0) await look();
  return status;
}

/** Adds to `lines` as many as are named. */
function addFirst(lines: number[], more: number[]): void {
  lines.push(...more.slice(0, MAX_LINES - lines.length));
}

const noneYet = (): CampaignStatus => ({ sent: 0, sending: 0, waiting: 0, suppressed: 0, lastSentAt: null });

function add(status: CampaignStatus, state: State, count: number, sentAt: Date | null): void {
  status[state] += count;
  const at = sentAt?.toISOString() ?? null;
  if (at !== null && (status.lastSentAt === null || at > status.lastSentAt)) status.lastSentAt = at;
}
