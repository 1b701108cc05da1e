import { once } from "node:events";
import { open, readFile, rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import type { CampaignRendering } from "../../campaigns/campaign-email.server";
import {
  issueOfJob,
  type LineIssue,
  listIssues,
  MAX_LISTED_ISSUES,
} from "../../campaigns/campaign-file.server";
import { type CsvColumn, readCsvJobs } from "../../campaigns/csv-jobs.server";
import { parseJson } from "../../shared/parse-json";
import { Progress } from "../progress";
import { openFile, type Session } from "../run-command";
import { createRendering } from "./rendering";
import { countJobs, quote } from "./wording";

export interface FromCsvOptions {
  template: string;
  body?: string;
  out: string;
  skipInvalid?: boolean;
  json?: boolean;
}

/** `npm run campaign -- from-csv FILE --template T --out CAMPAIGN` */
export async function fromCsv(session: Session, file: string, options: FromCsvOptions): Promise<void> {
  const { console } = session;
  const template = await readTemplate(options);
  const rendering = createRendering(session.environment("QUEUE_TOKEN"));
  // The file appears under its name once it is complete.
  const unfinished = `${options.out}.part`;
  try {
    const { jobs, invalid, issues, columns } = await writeJobs(session, file, unfinished, {
      template,
      rendering,
    });
    const isRefused = invalid > 0 && !options.skipInvalid;
    if (jobs === 0 && invalid === 0) throw new Error("The list has no line but its first.");
    if (!isRefused && jobs > 0) await rename(unfinished, options.out);
    session.exitCode = isRefused || jobs === 0 ? 1 : 0;
    if (options.json) {
      const written = session.exitCode === 0 ? options.out : null;
      return console.log(
        JSON.stringify({ file: written, jobs, invalid, issues, columns: columns.map(described) }),
      );
    }
    for (const column of columns) console.error(`  ${described(column).header} → ${described(column).use}`);
    if (invalid > 0)
      console.error(
        [
          `${invalid} ${invalid === 1 ? "line is" : "lines are"} not valid:`,
          ...listIssues(issues.slice(0, MAX_LISTED_ISSUES), invalid),
        ].join("\n"),
      );
    if (session.exitCode === 1)
      return console.error("Nothing was written. Correct the lines, or leave them out with --skip-invalid.");
    console.log(`${countJobs(jobs)} written to ${options.out}.`);
    console.error(`To see one: npm run campaign -- preview ${quote(options.out)} --line 1`);
  } finally {
    await Promise.all([rm(unfinished, { force: true }), rendering.close()]);
  }
}

/** The members that all jobs have in common. */
async function readTemplate({ template, body }: FromCsvOptions): Promise<Record<string, unknown>> {
  const written = await readWhole(template);
  let parsed: unknown;
  try {
    parsed = parseJson(written);
  } catch {
    throw new Error(`${template} is not JSON.`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed) || "recipient" in parsed)
    throw new Error(`${template} must be one job without recipient, as an object of JSON.`);
  return body === undefined ? { ...parsed } : { ...parsed, body: String(await readWhole(body)) };
}

async function readWhole(path: string): Promise<Buffer> {
  const opened = await openFile(path);
  try {
    return await readFile(opened);
  } finally {
    await opened.close();
  }
}

/** Writes the valid jobs, each of which has been rendered, and collects what is wrong with the others. */
async function writeJobs(
  { terminal }: Session,
  file: string,
  out: string,
  { template, rendering }: { template: Record<string, unknown>; rendering: CampaignRendering },
) {
  const list = await openFile(file);
  const written = await open(out, "w", 0o600);
  const stream = written.createWriteStream();
  const progress = new Progress(terminal.stderr);
  const issues: LineIssue[] = [];
  let columns: CsvColumn[] = [];
  let jobs = 0;
  try {
    const onColumns = (found: CsvColumn[]) => {
      columns = found;
    };
    for await (const { line, job } of readCsvJobs(list.createReadStream(), template, { onColumns })) {
      progress.show(() => `${line} lines read`);
      const message = await issueOfJob(job, rendering);
      if (message !== null) issues.push({ line, message });
      else {
        jobs++;
        await writeLine(stream, JSON.stringify(job));
      }
    }
  } finally {
    progress.end();
    stream.end();
    await once(stream, "close");
  }
  return { jobs, invalid: issues.length, issues, columns };
}

async function writeLine(stream: Writable, line: string): Promise<void> {
  if (!stream.write(`${line}\n`)) await once(stream, "drain");
}

function described({ header, use }: CsvColumn): { header: string; use: string } {
  if ("variable" in use) return { header, use: `{{${use.variable}}}` };
  return { header, use: use.member === "locale" ? "locale" : `recipient.${use.member}` };
}
