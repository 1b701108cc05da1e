/** `npm run events -- list|export|tail|erase`: reads what happened, and erases a person from it. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { z } from "zod";
import { forTerminal } from "../../embed-element/doctor/for-terminal";
import { emailAddress } from "../email/fields.server";
import { countEventsOf, erasePerson } from "../events/erase-person.server";
import { eventTypes } from "../events/event";
import { type EventFilter, eventFilterSchema } from "../events/event-filter.server";
import { type EventFormatName, eventFormats, formatEvents } from "../events/event-formats.server";
import { findAllEvents, findEvents, followEvents } from "../events/find-events.server";
import { eventsQuerySchema } from "../events/list-events.server";
import type { StoredEvent } from "../events/stored-event.server";
import type { Database } from "../providers/database.server";
import { validationMessages } from "../shared/validation-messages";
import { Progress } from "./progress";
import { type CommandDefinition, type JsonOption, runAsProcess, type Session } from "./run-command";
import { withUnfinishedFile } from "./unfinished-file";

const TYPE_WIDTH = Math.max(...eventTypes.map(({ length }) => length));
const JSON_LINES_OPTION = ["--json", "print JSON, one object on each line"] as const;

type FilterOptions = Omit<EventFilter, "companyId"> & { company?: string };

/** An option whose value the API's schema reads. */
function optionOf(flags: string, description: string, schema: z.ZodType): Option {
  return new Option(flags, description).argParser((text) => {
    const parsed = schema.safeParse(text, { error: validationMessages });
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
  });
}

interface EraseOptions {
  visitor?: string;
  recipient?: string;
  company?: string;
  dryRun?: boolean;
  yes?: boolean;
}

/** Events have addresses in lower case. */
const recipientSchema = emailAddress.transform((address) => address.toLowerCase());
const { companyId, type, visitor, bucket, prefix, after, before } = eventFilterSchema.shape;
const companyOption = () => optionOf("--company <id>", "only events of this company", companyId);

const withFilters = (command: Command) =>
  command
    .addOption(companyOption())
    .addOption(
      optionOf(
        "--type <types>",
        "only these types, like file.deleted,email.* (file.* is all of files)",
        type,
      ),
    )
    .addOption(optionOf("--visitor <id>", "only what this visitor did", visitor))
    .addOption(optionOf("--bucket <name>", "only files and folders of this bucket", bucket))
    .addOption(optionOf("--prefix <text>", "only files and folders whose key begins so, like docs/", prefix));

const withTimes = (command: Command) =>
  withFilters(command)
    .addOption(
      optionOf("--after <time>", "only events of this time or later, like 2026-11-24T00:00:00Z", after),
    )
    .addOption(optionOf("--before <time>", "only events earlier than this time", before));

const filterOf = ({ company, type, visitor, bucket, prefix, after, before }: FilterOptions): EventFilter => ({
  companyId: company,
  ...{ type, visitor, bucket, prefix, after, before },
});

export const events: CommandDefinition = (program, session) => {
  const { terminal, console } = session;
  program.description(
    "Reads what happened to files, e-mails and databases, and erases a person from it. Needs POSTGRES_URL, or a running local stack.",
  );

  withTimes(program.command("list").description("list the newest events"))
    .addOption(optionOf("--limit <number>", "how many", eventsQuerySchema.shape.limit).default(20))
    .option(...JSON_LINES_OPTION)
    .action((options: FilterOptions & JsonOption & { limit: number }) =>
      session.withDatabase(async (database) => {
        const found = await findEvents(database, filterOf(options), { limit: options.limit });
        await session.write(linesOf([found], options));
        if (found.length === 0 && !options.json) console.log("There are no such events.");
      }),
    );

  withTimes(program.command("export").description("write all events, newest first, with all that is known"))
    .addOption(
      new Option("--format <format>", "how to write them")
        .choices(Object.keys(eventFormats))
        .default("ndjson"),
    )
    .option("--out <file>", "write to this file instead of standard output")
    .action((options: FilterOptions & { format: EventFormatName; out?: string }) =>
      session.withDatabase((database) => exportEvents(session, database, options)),
    );

  withFilters(program.command("tail").description("print events as they are recorded, until Ctrl+C"))
    .option(...JSON_LINES_OPTION)
    .addHelpText("after", "\nAn event that is recorded more than a minute after it happened is not printed.")
    .action((options: FilterOptions & JsonOption) =>
      session.withDatabase(async (database) => {
        const signal = terminal.catchSignals();
        console.error("Waiting for events. Stop with Ctrl+C.");
        await session.write(linesOf(followEvents(database, filterOf(options), { signal }), options));
      }),
    );

  program
    .command("erase")
    .description("remove a visitor's id and name, or a recipient's address, from all events; the events stay")
    .addOption(optionOf("--visitor <id>", "whose id and name", visitor).conflicts("recipient"))
    .addOption(optionOf("--recipient <address>", "whose e-mail address", recipientSchema))
    .addOption(companyOption())
    .option("--dry-run", "count the events, and change nothing")
    .option("--yes", "erase; without it, nothing is changed and the exit code is 1")
    .addHelpText("after", "\nWhat happens later is recorded again. It is safe to stop and repeat.")
    .action((options: EraseOptions, command: Command) => {
      if (options.visitor === undefined && options.recipient === undefined)
        command.error("error: --visitor or --recipient is required");
      return session.withDatabase((database) => erase(session, database, options));
    });
};

async function exportEvents(
  { terminal, console }: Session,
  database: Database,
  options: FilterOptions & { format: EventFormatName; out?: string },
): Promise<void> {
  const progress = new Progress(terminal.stderr);
  let count = 0;
  async function* pages() {
    for await (const page of findAllEvents(database, filterOf(options))) {
      yield page;
      count += page.length;
      progress.show((perSecond) => `${count} events, ${Math.round(perSecond)} a second`, count);
    }
  }
  const { out } = options;
  const isShown = out === undefined && terminal.stdout.isTTY === true;
  async function* text() {
    for await (const piece of formatEvents(pages(), eventFormats[options.format]))
      yield isShown ? forTerminal(piece) : piece;
  }
  try {
    if (out === undefined) await pipeline(text(), terminal.stdout, { end: false });
    else
      await withUnfinishedFile(out, async (unfinished, complete) => {
        await pipeline(text(), createWriteStream(unfinished, { flush: true }));
        await complete();
      });
  } catch (error) {
    progress.end();
    console.error(`Stopped after ${count} events: the export is incomplete.`);
    throw error;
  }
  progress.end();
  console.error(`Exported ${count} events.`);
}

async function erase(
  session: Session,
  database: Database,
  { company: companyId, dryRun, yes, visitor, recipient = "" }: EraseOptions,
): Promise<void> {
  const { console, terminal } = session;
  const person = visitor === undefined ? "recipient" : "visitor";
  const erased = { person, value: visitor ?? recipient, companyId } as const;
  if (dryRun || !yes) {
    const count = await countEventsOf(database, erased);
    console.log(`${count} events have this ${person}. Nothing was changed.`);
    if (dryRun) return;
    console.error(`Run it again with --yes to erase the ${person} from them. This cannot be undone.`);
    session.exitCode = 1;
    return;
  }
  const progress = new Progress(terminal.stderr);
  const count = await erasePerson(database, erased, (sum) => progress.show(() => `${sum} events so far`));
  progress.end();
  console.log(`Erased the ${person} from ${count} events.`);
}

/** Lines for people, or JSON. */
async function* linesOf(
  pages: AsyncIterable<StoredEvent[]> | Iterable<StoredEvent[]>,
  { json }: JsonOption,
): AsyncGenerator<string, void> {
  // A key may contain anything, also line breaks and what a terminal would obey.
  const lineOf = (event: StoredEvent) =>
    `${forTerminal(json ? JSON.stringify(event) : describe(event).replace(/[\r\n\t]/g, " "))}\n`;
  for await (const page of pages) yield page.map(lineOf).join("");
}

function describe({ occurredAt, type, companyId, visitor, subject }: StoredEvent): string {
  const who =
    visitor === null ? "" : `  by ${visitor.id}${visitor.name === undefined ? "" : ` (${visitor.name})`}`;
  const what = Object.values(subject).join("/");
  return `${occurredAt}  ${type.padEnd(TYPE_WIDTH)}  ${companyId ?? "-"}  ${what}${who}`;
}

await runAsProcess(import.meta.url, "events", events);
