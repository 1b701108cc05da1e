import { isUtf8 } from "node:buffer";
import { createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { CampaignRendering } from "../../campaigns/campaign-email.server";
import { checkJob, MAX_LISTED_ISSUES } from "../../campaigns/campaign-file.server";
import { type CsvColumn, purposeOf, readCsvJobs } from "../../campaigns/csv-jobs.server";
import { variablesIn } from "../../email/variables.server";
import { codeOf, messageOf } from "../../shared/error-text";
import { Progress } from "../progress";
import { openFile, type Session } from "../run-command";
import { withUnfinishedFile } from "../unfinished-file";
import { createRendering } from "./rendering";
import { countJobs, listNumbers, quote } from "./wording";

export interface FromCsvOptions {
  template: string;
  body?: string;
  out: string;
  skipInvalid?: boolean;
  json?: boolean;
}

interface RowIssue {
  /** as spreadsheets count */
  row: number;
  message: string;
}

interface WrittenJobs {
  jobs: number;
  /** number of rows that are not valid */
  invalid: number;
  /** all of them for a program, the first ones for people */
  issues: RowIssue[];
  /** rows whose recipient an earlier row has */
  repeatedRows: number[];
  columns: CsvColumn[];
  /** what does not fit between the texts and the columns */
  notes: string[];
}

/** `npm run campaign -- from-csv FILE --template T --out CAMPAIGN` */
export async function fromCsv(session: Session, file: string, options: FromCsvOptions): Promise<void> {
  const { out, skipInvalid } = options;
  const template = await readTemplate(options);
  await checkTarget(out, [file, options.template, ...(options.body ? [options.body] : [])]);
  const rendering = createRendering(session.environment("QUEUE_TOKEN"));
  try {
    await withUnfinishedFile(out, async (unfinished, complete) => {
      const maxIssues = options.json ? Number.POSITIVE_INFINITY : MAX_LISTED_ISSUES;
      const written = await writeJobs(session, file, unfinished, { template, rendering, maxIssues });
      const { jobs, invalid } = written;
      if (jobs + invalid === 0) throw new Error("The list has no row but the names of its columns.");
      const isWritten = jobs > 0 && (invalid === 0 || skipInvalid === true);
      if (isWritten) await complete();
      session.exitCode = isWritten ? 0 : 1;
      report(session, written, { ...options, isWritten });
    });
  } finally {
    await rendering.close();
  }
}

/** @throws Error if writing to `out` would replace one of the files that are read */
async function checkTarget(out: string, read: readonly string[]): Promise<void> {
  const identify = async (path: string) => {
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    return found && `${found.dev} ${found.ino}`;
  };
  const target = await identify(out);
  if (target === undefined) return;
  for (const path of read)
    if ((await identify(path)) === target) throw new Error(`${out} is the file ${path}, which is read.`);
}

function report(
  { console }: Session,
  { jobs, invalid, issues, repeatedRows, columns, notes }: WrittenJobs,
  { out, json, isWritten }: FromCsvOptions & { isWritten: boolean },
): void {
  const uses = columns.map(({ header, use }) => ({ header, use: use && purposeOf(use) }));
  if (json) {
    const file = isWritten ? out : null;
    console.log(JSON.stringify({ file, jobs, invalid, issues, repeatedRows, columns: uses, notes }));
    return;
  }
  for (const { header, use } of uses) if (use !== null) console.error(`  ${header} → ${use}`);
  for (const note of notes) console.error(note);
  const repeated = repeatedRows.length;
  if (repeated > 0)
    console.error(
      `${repeated === 1 ? "One row repeats a recipient and is" : `${repeated} rows repeat recipients and are`} left out: ${listNumbers(repeatedRows)}.`,
    );
  if (invalid > 0) console.error(`${invalid === 1 ? "1 row is" : `${invalid} rows are`} not valid:`);
  for (const { row, message } of issues) console.error(`  row ${row}: ${message}`);
  if (invalid > issues.length) console.error(`  and ${invalid - issues.length} more (--json lists all)`);
  if (!isWritten) {
    const remedy = jobs > 0 ? " Correct the rows, or leave them out with --skip-invalid." : "";
    console.error(`Nothing was written.${remedy}`);
    return;
  }
  console.log(`${countJobs(jobs)} written to ${out}.`);
  console.error(`To see one: npm run campaign -- preview ${quote(out)} --line 1`);
}

/** The members that all jobs have in common. */
async function readTemplate({ template, body }: FromCsvOptions): Promise<Record<string, unknown>> {
  const written = await readText(template);
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch (error) {
    throw new Error(`${template} is not JSON: ${messageOf(error)}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed) || "recipient" in parsed)
    throw new Error(`${template} must be one job without recipient, as an object of JSON.`);
  return body === undefined ? { ...parsed } : { ...parsed, body: await readText(body) };
}

async function readText(path: string): Promise<string> {
  const opened = await openFile(path);
  try {
    const bytes = await readFile(opened);
    if (!isUtf8(bytes)) throw new Error(`${path} is not in UTF-8. Save it in that encoding.`);
    // Some editors write a byte order mark.
    return bytes.toString().replace(/^\uFEFF/, "");
  } finally {
    await opened.close();
  }
}

/** Writes the valid jobs, each of which has been rendered, and collects what is wrong with the others. */
async function writeJobs(
  { terminal }: Session,
  file: string,
  out: string,
  {
    template,
    rendering,
    maxIssues,
  }: { template: Record<string, unknown>; rendering: CampaignRendering; maxIssues: number },
): Promise<WrittenJobs> {
  const list = await openFile(file);
  const progress = new Progress(terminal.stderr);
  const written: WrittenJobs = { jobs: 0, invalid: 0, issues: [], repeatedRows: [], columns: [], notes: [] };
  const seen = new Set<string>();
  const onColumns = (found: CsvColumn[]) => {
    written.columns = found;
    written.notes = compareVariables(template, found);
  };
  async function* lines() {
    for await (const read of readCsvJobs(list.createReadStream(), template, { onColumns })) {
      const { row } = read;
      progress.show(() => `${row} rows read`);
      const issue = (message: string) => {
        written.invalid++;
        if (written.issues.length < maxIssues) written.issues.push({ row, message });
      };
      if ("issue" in read) {
        issue(read.issue);
        continue;
      }
      const checked = await checkJob(read.job, rendering);
      if ("issue" in checked) issue(checked.issue);
      else if (seen.has(checked.recipient)) written.repeatedRows.push(row);
      else {
        seen.add(checked.recipient);
        written.jobs++;
        yield `${JSON.stringify(read.job)}\n`;
      }
    }
  }
  await pipeline(lines(), createWriteStream(out, { flush: true })).finally(() => progress.end());
  return written;
}

/** Variables of the texts without a column, and columns without a variable: one of the two is probably misspelt. */
function compareVariables(template: Record<string, unknown>, columns: readonly CsvColumn[]): string[] {
  const { site, preheader, body, button, variables } = template as Record<string, Record<string, unknown>>;
  const texts = [site?.subject, preheader, body, button?.label, button?.url];
  const used = variablesIn(texts.filter((text) => typeof text === "string").join("\n"));
  const columnOf = new Map(
    columns.flatMap(({ header, use }) => (use && "variable" in use ? [[use.variable, header]] : [])),
  );
  const known = new Set(["name", "email", ...columnOf.keys(), ...Object.keys(variables ?? {})]);
  return [
    ...[...used].flatMap(([name, { hasFallback }]) =>
      known.has(name)
        ? []
        : [`No column is for {{${name}}}${hasFallback ? ", so everybody gets its fallback" : ""}.`],
    ),
    ...[...columnOf].flatMap(([name, header]) =>
      used.has(name) ? [] : [`The column “${header}” is not used.`],
    ),
  ];
}
