import { hash } from "node:crypto";
import { AppError } from "../app-error";
import { parseJson } from "../parse-json";
import { sayMissing } from "../say-missing";
import { renderCampaignEmail } from "./campaign-email.server";
import {
  type CampaignJob,
  campaignJobSchema,
  type JobKey,
  keyOf,
  MAX_JOB_BYTES,
} from "./campaign-job.server";
import { readLines } from "./read-lines.server";
import { SeenKeys } from "./seen-keys";
import type { HostedUnsubscribe } from "./unsubscribe-link.server";

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

export interface CheckedCampaign {
  /** from the line that counts on */
  jobs: number;
  /** ahead of that line */
  before: number;
  /** lines for somebody who is in the campaign already: they are left out */
  repeated: number;
  /** of the first job */
  campaignId: string;
  /** members that no job has, each with the first line that has it */
  ignored: Map<string, number>;
}

/** issues that are spelled out; a file that is no NDJSON at all has as many as lines */
export const MAX_LISTED = 20;

type ReadJob = { line: number } & (
  | ({ body: string; job: CampaignJob; key: string; isRepeated: boolean; ignored: string[] } & JobKey)
  | { issue: string }
);

/**
 * The jobs of an NDJSON file, one per line; blank lines count for nothing.
 * @param seen where recipients are held; of an earlier reading, it is emptied
 */
export async function* readJobs(
  chunks: AsyncIterable<Uint8Array>,
  seen = new SeenKeys(),
): AsyncGenerator<ReadJob> {
  seen.clear();
  for await (const { number: line, text } of readLines(chunks, MAX_JOB_BYTES)) {
    if (text === "") continue;
    if (text === null) {
      yield { line, issue: `is over ${MAX_JOB_BYTES / 1024} kB, or is not UTF-8` };
      continue;
    }
    let parsed: unknown;
    try {
      // As the webhook does: what it refuses is not published.
      parsed = parseJson(Buffer.from(text));
    } catch (error) {
      yield { line, issue: sentenceOf(error) };
      continue;
    }
    const job = campaignJobSchema.safeParse(parsed, { error: sayMissing });
    if (!job.success) {
      const [issue] = job.error.issues;
      yield { line, issue: [issue?.path.join("."), issue?.message].filter(Boolean).join(": ") };
      continue;
    }
    const { campaignId, recipient } = keyOf(job.data);
    const key = JSON.stringify([campaignId, recipient]);
    const ignored = membersWithout(parsed, job.data);
    yield {
      line,
      body: text,
      job: job.data,
      key,
      campaignId,
      recipient,
      isRepeated: !seen.add(key),
      ignored,
    };
  }
}

/** The paths of the members of `given` that `taken` has not: a name that was mistyped is in no e-mail. */
function membersWithout(given: unknown, taken: unknown, path = ""): string[] {
  if (typeof given !== "object" || given === null || typeof taken !== "object" || taken === null) return [];
  const known = taken as Record<string, unknown>;
  return Object.entries(given).flatMap(([name, value]) => {
    // Every product has the same members.
    const here = Array.isArray(given) ? path : (path && `${path}.${name}`) || name;
    if (Object.hasOwn(known, name)) return membersWithout(value, known[name], here);
    return value === null ? [] : [here];
  });
}

/** What the caller of the webhook would be told. @throws what is no AppError */
function sentenceOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  const [issue] = error.issues ?? [];
  return issue ? [issue.path, issue.message].filter(Boolean).join(": ") : error.message;
}

/**
 * Reads a whole file, and renders each of its jobs as the webhook will: what passes here is accepted there.
 * @param unsubscribeUrl as the app's `UNSUBSCRIBE_URL`
 * @param from the first line that counts
 * @param hosted as the app's `UNSUBSCRIBE_SECRET` has it
 * @param onLine called with each line's number
 * @param seen as for `readJobs`
 * @throws Error that lists the wrong lines, or says that there is none
 */
export async function checkCampaign(
  chunks: AsyncIterable<Uint8Array>,
  unsubscribeUrl: string,
  {
    from = 1,
    onLine = () => {},
    hosted,
    seen,
  }: {
    from?: number;
    onLine?: (line: number) => void;
    hosted?: HostedUnsubscribe | undefined;
    seen?: SeenKeys;
  } = {},
): Promise<CheckedCampaign> {
  const checked: CheckedCampaign = { jobs: 0, before: 0, repeated: 0, campaignId: "", ignored: new Map() };
  const issues: LineIssue[] = [];
  let wrong = 0;
  const note = (line: number, message: string) => {
    wrong++;
    if (issues.length < MAX_LISTED) issues.push({ line, message });
  };
  for await (const read of readJobs(chunks, seen)) {
    onLine(read.line);
    if ("issue" in read) {
      note(read.line, read.issue);
      continue;
    }
    const issue = issueOfEmail(read.job, unsubscribeUrl, hosted);
    if (issue !== null) note(read.line, issue);
    if (read.isRepeated) checked.repeated++;
    else if (read.line < from) checked.before++;
    else checked.jobs++;
    checked.campaignId ||= read.campaignId;
    for (const name of read.ignored)
      if (checked.ignored.size < MAX_LISTED && !checked.ignored.has(name))
        checked.ignored.set(name, read.line);
  }
  if (wrong > 0) {
    const title = "Nothing was published: the file has lines that are no campaign job.";
    throw new Error([title, ...listLines(issues, wrong)].join("\n"));
  }
  if (checked.jobs === 0)
    throw new Error(
      `Nothing was published: there is no job ${checked.before > 0 ? `from line ${from} on` : "in it"}.`,
    );
  return checked;
}

/** What the webhook would refuse the job for. */
function issueOfEmail(
  job: CampaignJob,
  unsubscribeUrl: string,
  hosted: HostedUnsubscribe | undefined,
): string | null {
  try {
    renderCampaignEmail(job, unsubscribeUrl, hosted);
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}

/** @param total of which `issues` are the first */
export function listLines(issues: readonly LineIssue[], total: number): string[] {
  return [
    ...issues.map(({ line, message }) => `  line ${line}: ${message}`),
    ...(total > issues.length ? [`  and ${total - issues.length} more`] : []),
  ];
}

/**
 * The messages of a file that was checked; who is named twice in a campaign gets one.
 * @param from the first line that counts
 * @param seen as for `readJobs`
 */
export async function* readMessages(
  chunks: AsyncIterable<Uint8Array>,
  from = 1,
  seen?: SeenKeys,
): AsyncGenerator<CampaignMessage> {
  for await (const read of readJobs(chunks, seen)) {
    if ("issue" in read) throw new Error(`Line ${read.line} has changed since it was checked.`);
    const { line, body, key, isRepeated } = read;
    // A job that was corrected is another message. That its recipient gets one e-mail is the webhook's doing.
    if (!isRepeated && line >= from) yield { line, body, deduplicationId: hash("sha256", key + body) };
  }
}
