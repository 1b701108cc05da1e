import { type FileHandle, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CampaignRendering } from "../../campaigns/campaign-email.server";
import {
  type CheckedCampaign,
  checkCampaign,
  InvalidCampaign,
  listIssues,
  readMessages,
} from "../../campaigns/campaign-file.server";
import { readCampaignStatus } from "../../campaigns/campaign-status.server";
import { type PublishOutcome, publishCampaign } from "../../campaigns/publish-campaign.server";
import { findStop } from "../../campaigns/stopped-campaigns.server";
import { type EnvVariables, parseOnly } from "../../env/env.server";
import { createQueue } from "../../providers/queue.server";
import { messageOf } from "../../shared/error-text";
import { Progress } from "../progress";
import { openFile, type Session, withDatabaseOf } from "../run-command";
import { createRendering } from "./rendering";
import { countJobs, formatDuration, listNumbers, quote } from "./wording";

/** Amazon SES's rate for an account that has just left the sandbox, per second. */
export const DEFAULT_RATE = 14;

export interface PublishOptions {
  rate: number;
  fromLine: number;
  concurrency: number;
  dryRun?: boolean;
  again?: boolean;
  json?: boolean;
}

/** `npm run campaign -- publish FILE` */
export async function publish(session: Session, file: string, options: PublishOptions): Promise<void> {
  const opened = await openForTwoReadings(session, file);
  const variables = session.environment("QUEUE_TOKEN");
  const rendering = createRendering(variables);
  try {
    const before = await opened.stat();
    const checked = await check(session, opened, file, { ...options, rendering });
    await warnOfEarlierRuns(session, checked, variables);
    if (options.dryRun) return reportDryRun(session, checked, options);
    const outcome = await publishJobs(session, opened, checked, { ...options, variables });
    const after = await opened.stat();
    const hasChanged = after.mtimeMs !== before.mtimeMs || after.size !== before.size;
    report(session, outcome, checked, { ...options, file, hasChanged });
  } catch (error) {
    if (!options.json || !(error instanceof InvalidCampaign)) throw error;
    const { total: invalid, issues } = error;
    session.console.log(JSON.stringify({ isValid: false, invalid, issues }));
    session.exitCode = 1;
  } finally {
    await Promise.all([opened.close(), rendering.close()]);
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

/** The content of an open file, from its beginning. Reading may end early, and the file stays open. */
function contentOf(file: FileHandle): AsyncIterable<Uint8Array> {
  // A destroyed stream closes its file even with `autoClose: false`.
  return file.createReadStream({ start: 0, autoClose: false }).iterator({ destroyOnReturn: false });
}

/** Renders every e-mail of the file. @param file as it was given, for messages */
async function check(
  { console, terminal }: Session,
  opened: FileHandle,
  file: string,
  { fromLine, json, rendering }: PublishOptions & { rendering: CampaignRendering },
): Promise<CheckedCampaign> {
  const progress = new Progress(terminal.stderr);
  const checked = await checkCampaign(contentOf(opened), rendering, {
    from: fromLine,
    // JSON is for programs, which want all of them.
    maxIssues: json ? Number.POSITIVE_INFINITY : undefined,
    onLine: (line) => progress.show(() => `${line} ${line === 1 ? "line" : "lines"} checked`),
  }).finally(() => progress.end());
  const { jobs, jobsBefore, repeatedLines, withoutUnsubscribe, ignored } = checked;
  const fromText = fromLine === 1 ? "" : ` from line ${fromLine} on, ${jobsBefore} before it`;
  const repeated = [...repeatedLines];
  const skipped =
    repeated.length === 0
      ? ""
      : ` (${repeated.length} more for recipients that are in it already: ${repeated.length === 1 ? "line" : "lines"} ${listNumbers(repeated)}, skipped)`;
  console.error(`${countJobs(jobs)} in ${file === "-" ? "the input" : file}${fromText}${skipped}.`);
  for (const [member, line] of ignored)
    console.error(`  line ${line}: ${member}: jobs have no such member, so it is ignored`);
  if (withoutUnsubscribe > 0)
    console.error(
      `${withoutUnsubscribe === jobs ? "The jobs" : `${withoutUnsubscribe} jobs`} have no unsubscribeToken, and UNSUBSCRIBE_SECRET is not set here. If it is set on the server, the e-mails have a link to unsubscribe. Otherwise add one, which many countries require (docs/guide/email.md, “Unsubscribing”).`,
    );
  return checked;
}

/** Says how many e-mails went out before, and whether the campaign is stopped, if the database is known. */
async function warnOfEarlierRuns(
  { console }: Session,
  { campaignId }: CheckedCampaign,
  variables: EnvVariables,
): Promise<void> {
  if (!variables.POSTGRES_URL?.trim()) return;
  try {
    const [{ sent }, stopped] = await withDatabaseOf(variables, (database) =>
      Promise.all([readCampaignStatus(database, campaignId), findStop(database, campaignId)]),
    );
    if (stopped)
      console.error(
        `The campaign is ${stopped.state}: its e-mails are not sent until you run npm run campaign -- resume ${quote(campaignId)}`,
      );
    if (sent > 0)
      console.error(
        `${sent} ${sent === 1 ? "e-mail" : "e-mails"} of this campaign went out before. Nobody gets a second one: another text needs another campaignId.`,
      );
  } catch (error) {
    console.error(`It is not known whether e-mails of this campaign went out before: ${messageOf(error)}`);
  }
}

function reportDryRun({ console }: Session, checked: CheckedCampaign, { json }: PublishOptions): void {
  const { jobs, campaignId, repeatedLines, withoutUnsubscribe, ignored } = checked;
  if (!json) {
    console.error("Every e-mail can be sent. Nothing was published.");
    return;
  }
  const members = Object.fromEntries(ignored);
  console.log(
    JSON.stringify({
      isValid: true,
      campaignId,
      jobs,
      repeatedLines: [...repeatedLines],
      withoutUnsubscribe,
      ignored: members,
    }),
  );
}

async function publishJobs(
  { console, terminal }: Session,
  opened: FileHandle,
  { jobs, repeatedLines }: CheckedCampaign,
  { rate, concurrency, fromLine, again, variables }: PublishOptions & { variables: EnvVariables },
): Promise<PublishOutcome> {
  const env = parseOnly(variables, "API_BASE_URL", "QUEUE_URL", "QUEUE_TOKEN");
  const signal = terminal.catchSignals();
  signal.addEventListener("abort", () =>
    console.error("\nStopping after the current requests. Press Ctrl-C again to stop at once."),
  );
  const progress = new Progress(terminal.stderr);
  return publishCampaign(readMessages(contentOf(opened), { from: fromLine, skip: repeatedLines, again }), {
    queue: createQueue({ url: env.QUEUE_URL, token: env.QUEUE_TOKEN }),
    apiBaseUrl: env.API_BASE_URL,
    rate,
    concurrency,
    from: fromLine,
    signal,
    onProgress: ({ new: added, duplicate, refused }) => {
      const done = added + duplicate;
      progress.show((perSecond) => {
        const open = jobs - done - refused;
        const left = open > 0 && perSecond > 0 ? `, ${formatDuration(open / perSecond)} left` : "";
        return `${done} of ${jobs} published${refused > 0 ? `, ${refused} refused` : ""}, ${Math.round(perSecond)} per second${left}`;
      }, done + refused);
    },
  }).finally(() => progress.end());
}

/** Says how much was published and how to go on, and sets the exit code: 0 if all jobs are on the queue. */
function report(
  session: Session,
  outcome: PublishOutcome,
  { jobs, campaignId }: CheckedCampaign,
  options: PublishOptions & { file: string; hasChanged: boolean },
): void {
  const { console } = session;
  const { new: added, duplicate, refused, refusals, stopped, continueFrom } = outcome;
  const { rate, file, hasChanged, json } = options;
  const published = added + duplicate;
  // A file that was truncated is published to its end, and is not complete.
  session.exitCode = stopped === undefined && refused === 0 && published === jobs && !hasChanged ? 0 : 1;
  if (json) {
    console.log(JSON.stringify({ isValid: true, campaignId, jobs, ...outcome, hasChanged }));
    return;
  }
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
  const withRate = rate === DEFAULT_RATE ? "" : ` --rate ${rate}`;
  const command = `npm run campaign -- publish ${quote(file)}`;
  if (stopped !== undefined) console.error(stopped);
  if (refused > 0)
    console.error(
      `To publish the refused jobs as well: ${command}${withRate}. What was sent is not sent twice.`,
    );
  // In a file that has changed, the line number means nothing.
  else if (stopped !== undefined)
    console.error(`To continue: ${command}${hasChanged ? "" : ` --from-line ${continueFrom}`}${withRate}`);
  if (session.exitCode !== 0) return;
  if (added > 0)
    console.error(
      `At the maximum rate of ${rate} per second, sending the new ones takes about ${formatDuration(added / rate)}.`,
    );
  if (duplicate > 0)
    console.error(
      `For ten minutes the queue ignores what it has had before, also if it has given up on it. To publish that once more: ${command} --again`,
    );
  console.error(`To follow it: npm run campaign -- status ${quote(campaignId)}`);
}
