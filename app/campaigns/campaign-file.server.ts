import { isUtf8 } from "node:buffer";
import { hash, randomUUID } from "node:crypto";
import { onOneLine } from "../email/email-address.server";
import { AppError } from "../shared/app-error";
import { parseJson } from "../shared/parse-json";
import { validationMessages } from "../shared/validation-messages";
import { type CampaignContent, type CampaignRendering, renderCampaignEmail } from "./campaign-email.server";
import {
  type CampaignJob,
  campaignJobSchema,
  type JobKey,
  jobKeyOf,
  MAX_JOB_BYTES,
  tagOf,
} from "./campaign-job.server";

/** A line of a campaign file that cannot be published. */
export interface LineIssue {
  /** counted from 1 */
  line: number;
  message: string;
}

/** how many issues of one line are listed */
const MAX_ISSUES_PER_LINE = 5;

/** The message that the queue gets for a line. */
export interface CampaignMessage {
  line: number;
  /** the job as it is written in the file */
  body: string;
  deduplicationId: string;
  /** of the campaign */
  label: string;
}

export interface CheckedCampaign {
  /** number of jobs to publish */
  jobs: number;
  /** number of jobs before the line that publishing starts from */
  jobsBefore: number;
  /** number of jobs whose e-mails have no link to unsubscribe */
  withoutUnsubscribe: number;
  /** lines to skip, because an earlier line has the same recipient and campaign */
  repeatedLines: Set<number>;
  /** of the first job */
  campaignId: string;
  /** unknown members of jobs, each with the first line that has it */
  ignored: Map<string, number>;
}

/** Maximum number of issues, of refusals and of unknown members that are listed for one file. */
export const MAX_LISTED_ISSUES = 20;

type CampaignLine = { line: number } & (
  | { body: string; job: CampaignJob; key: JobKey; ignored: string[] }
  | { issue: string }
);

/** Reads the jobs of an NDJSON file, one on each line; blank lines are skipped. */
export async function* readJobs(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CampaignLine> {
  for await (const { line, text } of readLines(chunks, MAX_JOB_BYTES)) {
    if (text === "") continue;
    if (text === null) {
      yield { line, issue: `is over ${MAX_JOB_BYTES / 1024} kB, or is not UTF-8` };
      continue;
    }
    let parsed: unknown;
    try {
      // The job endpoint parses with the same limits.
      parsed = parseJson(Buffer.from(text));
    } catch (error) {
      yield { line, issue: issueOf(error) };
      continue;
    }
    const read = readJob(parsed);
    if ("issue" in read) yield { line, issue: read.issue };
    else {
      const { job } = read;
      yield { line, body: text, job, key: jobKeyOf(job), ignored: unknownMembers(parsed, job) };
    }
  }
}

/** All issues of a line in one sentence; the first of many. They quote the file, so control characters are removed for the terminal. */
function describeIssues(issues: readonly { path: string; message: string }[]): string {
  const listed = issues
    .slice(0, MAX_ISSUES_PER_LINE)
    .map(({ path, message }) => onOneLine([path, message].filter(Boolean).join(": ")));
  const more = issues.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** @param json one job @returns the job, or what is wrong with it */
function readJob(json: unknown): { job: CampaignJob } | { issue: string } {
  const { data, error } = campaignJobSchema.safeParse(json, { error: validationMessages });
  if (data !== undefined) return { job: data };
  return {
    issue: describeIssues(error.issues.map(({ path, message }) => ({ path: path.join("."), message }))),
  };
}

const textOf = ({ campaignId, recipient }: JobKey) => JSON.stringify([campaignId, recipient]);

/** 96 bits of a hash as a string: a million of them take half the memory of a million addresses. */
const digestOf = (key: JobKey) => hash("sha256", textOf(key), "buffer").toString("latin1", 0, 12);

/**
 * Splits a file into lines, counted from 1. Reads one chunk at a time, so that a file may be larger than memory. (`node:readline` would
 * also split at U+2028, which JSON may contain, and would replace bytes that are not UTF-8.)
 * @returns each line, trimmed; null instead of a line that is longer than `maxBytes` or not UTF-8
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<{ line: number; text: string | null }> {
  let line = 0;
  let pieces: Uint8Array[] = [];
  let length = 0;
  const append = (piece: Uint8Array) => {
    length += piece.length;
    if (length <= maxBytes) pieces.push(piece);
    else pieces = [];
  };
  const finish = () => {
    const bytes = Buffer.concat(pieces);
    const isValid = length <= maxBytes && isUtf8(bytes);
    [pieces, length] = [[], 0];
    line++;
    // trim() also removes the byte order mark that editors on Windows write.
    return { line, text: isValid ? bytes.toString().trim() : null };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      append(chunk.subarray(start, end));
      start = end + 1;
      yield finish();
    }
    append(chunk.subarray(start));
  }
  if (length > 0) yield finish();
}

/** The paths of all members of `given` that are missing in `known`. A misspelled member would otherwise be ignored silently. */
function unknownMembers(given: unknown, known: unknown, path = ""): string[] {
  if (typeof given !== "object" || given === null || typeof known !== "object" || known === null) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    // The path of a list's items leaves out the index.
    const memberPath = Array.isArray(given) ? path : [path, onOneLine(name)].filter(Boolean).join(".");
    if (Object.hasOwn(known, name))
      return unknownMembers(value, (known as Record<string, unknown>)[name], memberPath);
    // Null means that the member is left out (optionalOf).
    return value === null ? [] : [memberPath];
  });
}

/** What the job endpoint would respond with. @throws every error that is not an AppError */
function issueOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return error.issues?.length ? describeIssues(error.issues) : error.message;
}

/** Some lines of a file are not valid. */
export class InvalidCampaign extends Error {
  override readonly name = "InvalidCampaign";

  /** @param total number of invalid lines, of which `issues` are the first */
  constructor(
    readonly issues: readonly LineIssue[],
    readonly total: number,
  ) {
    const introduction = "Nothing was published: some lines are not valid campaign jobs.";
    super([introduction, ...listIssues(issues, total)].join("\n"));
  }
}

/**
 * Reads a whole file and renders each of its e-mails, as the job endpoint will: it accepts every job of a file that passes.
 * @param options.from the first line to publish
 * @param options.onLine called with each line's number
 * @param options.maxIssues how many invalid lines are listed
 * @throws InvalidCampaign if there are invalid lines, and Error if there is nothing to publish
 */
export async function checkCampaign(
  chunks: AsyncIterable<Uint8Array>,
  rendering: CampaignRendering,
  {
    from = 1,
    maxIssues = MAX_LISTED_ISSUES,
    onLine = () => {},
  }: { from?: number; maxIssues?: number | undefined; onLine?: (line: number) => void } = {},
): Promise<CheckedCampaign> {
  const checked: CheckedCampaign = {
    jobs: 0,
    jobsBefore: 0,
    withoutUnsubscribe: 0,
    repeatedLines: new Set(),
    campaignId: "",
    ignored: new Map(),
  };
  const seen = new Set<string>();
  const issues: LineIssue[] = [];
  let invalid = 0;
  const noteIssue = (line: number, message: string) => {
    invalid++;
    if (issues.length < maxIssues) issues.push({ line, message });
  };
  for await (const read of readJobs(chunks)) {
    onLine(read.line);
    if ("issue" in read) {
      noteIssue(read.line, read.issue);
      continue;
    }
    const rendered = await tryToRender(read.job, rendering);
    if ("issue" in rendered) noteIssue(read.line, rendered.issue);
    const digest = digestOf(read.key);
    if (seen.has(digest)) checked.repeatedLines.add(read.line);
    else if (read.line < from) checked.jobsBefore++;
    else {
      checked.jobs++;
      if ("headers" in rendered && rendered.headers.length === 0) checked.withoutUnsubscribe++;
    }
    seen.add(digest);
    checked.campaignId ||= read.key.campaignId;
    for (const name of read.ignored)
      if (checked.ignored.size < MAX_LISTED_ISSUES && !checked.ignored.has(name))
        checked.ignored.set(name, read.line);
  }
  if (invalid > 0) throw new InvalidCampaign(issues, invalid);
  if (checked.jobs === 0)
    throw new Error(
      `Nothing was published: the file contains no job${checked.jobsBefore > 0 ? ` from line ${from} on` : ""}.`,
    );
  return checked;
}

/** @returns the e-mail, or the reason for which the job endpoint would refuse the job */
async function tryToRender(
  job: CampaignJob,
  rendering: CampaignRendering,
): Promise<CampaignContent | { issue: string }> {
  try {
    return await renderCampaignEmail(job, rendering);
  } catch (error) {
    return { issue: issueOf(error) };
  }
}

/** @param json the job as it would be published @returns its recipient, in lower case, or the reason for which it could not be sent */
export async function checkJob(
  json: unknown,
  rendering: CampaignRendering,
): Promise<{ recipient: string } | { issue: string }> {
  const read = readJob(json);
  if ("issue" in read) return read;
  const rendered = await tryToRender(read.job, rendering);
  return "issue" in rendered ? rendered : { recipient: jobKeyOf(read.job).recipient };
}

/** One line of text for each issue. @param total number of issues, of which `issues` are the first */
export function listIssues(issues: readonly LineIssue[], total: number): string[] {
  return [
    ...issues.map(({ line, message }) => `  line ${line}: ${message}`),
    ...(total > issues.length ? [`  and ${total - issues.length} more`] : []),
  ];
}

/**
 * Reads the messages of a file that `checkCampaign` has accepted.
 * @param options.from the first line to publish
 * @param options.skip lines that are not published
 * @param options.again makes the queue take messages that it has had within the last minutes
 * @throws Error at a line that is no longer valid
 */
export async function* readMessages(
  chunks: AsyncIterable<Uint8Array>,
  {
    from = 1,
    skip = new Set(),
    again = false,
  }: { from?: number; skip?: ReadonlySet<number>; again?: boolean | undefined } = {},
): AsyncGenerator<CampaignMessage> {
  const run = again ? randomUUID() : "";
  for await (const read of readJobs(chunks)) {
    if ("issue" in read) throw new Error(`Line ${read.line} has changed since it was checked.`);
    const { line, body, key } = read;
    if (line < from || skip.has(line)) continue;
    // A corrected job is another message to the queue. The job endpoint makes sure that its recipient gets one e-mail.
    const deduplicationId = hash("sha256", textOf(key) + body + run);
    yield { line, body, deduplicationId, label: tagOf(key.campaignId) };
  }
}
