import { hash } from "node:crypto";
import { messageOf } from "../error-text";
import { mapConcurrently } from "../map-concurrently";
import type { Queue } from "../providers/queue.server";
import { CAMPAIGN_WEBHOOK_PATH, campaignJobSchema, keyOf } from "./campaign-job.server";

/** A line of a campaign file that cannot be published. */
export interface LineIssue {
  /** counted from 1 */
  line: number;
  message: string;
}

export interface CampaignMessage {
  line: number;
  /** the job, as it stands in the file */
  body: string;
  deduplicationId: string;
}

/** issues that are spelled out; a file that is no NDJSON at all has as many as lines */
const MAX_LISTED = 20;

/**
 * The jobs of an NDJSON file, one per line; blank lines count for nothing, and a recipient who is named twice in a campaign
 * gets one message.
 * @throws Error that lists every wrong line: all of them are checked before the first is published
 */
export function readCampaign(ndjson: string): { messages: CampaignMessage[]; repeated: number } {
  const issues: LineIssue[] = [];
  const messages = new Map<string, CampaignMessage>();
  let repeated = 0;
  for (const [index, text] of ndjson.split("\n").entries()) {
    const body = text.trim();
    if (body === "") continue;
    const line = index + 1;
    const job = campaignJobSchema.safeParse(parseLine(body));
    if (!job.success) {
      const [issue] = job.error.issues;
      issues.push({ line, message: [issue?.path.join("."), issue?.message].filter(Boolean).join(": ") });
      continue;
    }
    const { campaignId, recipient } = keyOf(job.data);
    const key = JSON.stringify([campaignId, recipient]);
    if (messages.has(key)) {
      repeated++;
      continue;
    }
    messages.set(key, { line, body, deduplicationId: hash("sha256", key) });
  }
  if (issues.length > 0) throw new Error(listIssues(issues));
  return { messages: [...messages.values()], repeated };
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listIssues(issues: LineIssue[]): string {
  const listed = issues.slice(0, MAX_LISTED).map(({ line, message }) => `  line ${line}: ${message}`);
  const more = issues.length - listed.length;
  return [
    "Nothing was published: the file has lines that are no campaign job.",
    ...listed,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join("\n");
}

/**
 * Puts every message on the queue, several at a time.
 * @param onProgress called after each message
 * @returns the lines that the queue did not take; repeating them is safe, since a job is sent once
 */
export async function publishCampaign(
  messages: readonly CampaignMessage[],
  {
    queue,
    apiBaseUrl,
    concurrency,
    onProgress,
  }: {
    queue: Queue;
    apiBaseUrl: string;
    concurrency: number;
    onProgress: (progress: { published: number; failed: number }) => void;
  },
): Promise<LineIssue[]> {
  const destination = apiBaseUrl + CAMPAIGN_WEBHOOK_PATH;
  const failed: LineIssue[] = [];
  let published = 0;
  await mapConcurrently(messages, concurrency, async ({ line, body, deduplicationId }) => {
    try {
      await queue.publish({ destination, body, deduplicationId });
      published++;
    } catch (error) {
      failed.push({ line, message: messageOf(error) });
    }
    onProgress({ published, failed: failed.length });
  });
  return failed.sort((a, b) => a.line - b.line);
}
