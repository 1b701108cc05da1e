/** `npm run suppressions -- list|add|remove`: manages the addresses that get no e-mail. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { InvalidArgumentError, Option } from "commander";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "../email/email-address.server";
import {
  addSuppressions,
  EVERY_SITE,
  listSuppressions,
  removeSuppressions,
  type SuppressionReason,
} from "../email/suppressions.server";
import { suppressionReasons } from "../email/suppressions.sql.server";
import { siteOf } from "../email/unsubscribing/subscription.server";
import type { Database } from "../providers/database.server";
import { type CommandDefinition, type JsonOption, openFile, runAsProcess, type Session } from "./run-command";

/** Addresses to add with one statement. */
const BATCH_SIZE = 500;
const REASON_WIDTH = Math.max(...suppressionReasons.map(({ length }) => length));

interface Filter {
  site?: string;
  reason?: SuppressionReason;
}

const siteOption = (description: string) =>
  new Option("--site <site>", `${description}; SITE is the host of its address, or its name`).argParser(
    readSite,
  );
const reasonOption = (description: string) =>
  new Option("--reason <reason>", description).choices(suppressionReasons);

export const suppressions: CommandDefinition = (program, session) => {
  program.description(
    "Manages the addresses that get no e-mail: after a bounce, a complaint, an unsubscribe, or by hand. " +
      "Needs POSTGRES_URL, or a running local stack.",
  );
  program
    .command("list")
    .description("list all, by address")
    .addOption(siteOption("list only unsubscribes from this site"))
    .addOption(reasonOption("list only addresses with this reason"))
    .option("--json", "print JSON, one object on each line")
    .action((options: Filter & JsonOption) =>
      session.withDatabase((database) => list(session, database, options)),
    );
  program
    .command("add [address...]")
    .description("send no more e-mail to these addresses")
    .option(
      "--file <file>",
      "read the addresses from a file, one on each line, with or without a heading (- reads standard input)",
    )
    .addOption(siteOption("stop only campaigns of this site"))
    .addOption(reasonOption("the reason to record"))
    .addHelpText(
      "after",
      "\nIt is safe to stop and repeat: an address that is on the list already stays unchanged.",
    )
    .action((words: string[], options: Filter & { file?: string }) =>
      session.withDatabase((database) => add(session, database, words, options)),
    );
  program
    .command("remove <address...>")
    .description("send e-mail to these addresses again; the exit code is 1 if one is not on the list")
    .addOption(siteOption("remove only unsubscribes from this site"))
    .addOption(reasonOption("remove only addresses with this reason"))
    .addHelpText(
      "after",
      "\nAmazon SES has its own list: aws sesv2 delete-suppressed-destination --email-address ADDRESS",
    )
    .action((words: string[], options: Filter) =>
      session.withDatabase((database) => remove(session, database, words, options)),
    );
};

async function list(
  session: Session,
  database: Database,
  { json, ...only }: Filter & JsonOption,
): Promise<void> {
  let count = 0;
  async function* lines() {
    for await (const suppression of listSuppressions(database, only)) {
      count++;
      const { address, site, reason, createdAt } = suppression;
      const ofSite = site === EVERY_SITE ? "" : `  campaigns of ${site}`;
      yield json
        ? `${JSON.stringify({ ...suppression, site: site || null })}\n`
        : `${reason.padEnd(REASON_WIDTH)}  ${createdAt.toISOString()}  ${address}${ofSite}\n`;
    }
  }
  // The list may be longer than memory.
  await session.write(lines());
  if (count === 0 && !json) session.console.log("The list is empty.");
}

async function add(
  { console, terminal }: Session,
  database: Database,
  words: string[],
  {
    file,
    site = EVERY_SITE,
    reason = site === EVERY_SITE ? "manual" : "unsubscribe",
  }: Filter & {
    file?: string;
  },
): Promise<void> {
  if ((words.length === 0) === (file === undefined)) throw new Error("Give either addresses or --file FILE.");
  let added = 0;
  let total = 0;
  let batch: string[] = words.map(readAddress);
  const flush = async () => {
    added += await addSuppressions(database, batch, { reason, site });
    total += batch.length;
    batch = [];
  };
  if (file !== undefined) {
    const lines =
      file === "-" ? createInterface(Readable.from(terminal.stdin)) : (await openFile(file)).readLines();
    let line = 0;
    let isFirst = true;
    for await (const text of lines) {
      line++;
      if (text.trim() === "") continue;
      const address = parseAddress(text);
      if (address === null && isFirst && !text.includes("@")) {
        isFirst = false;
        console.error(`Line ${line} is not an address, and is taken for a heading.`);
        continue;
      }
      isFirst = false;
      // The line may hold anything, so the message names only its number.
      if (address === null)
        throw new Error(
          `Line ${line} is not an e-mail address. ${total === 0 ? "Nothing was added" : `Only the first ${total} addresses were added`}.`,
        );
      if (batch.push(address) === BATCH_SIZE) await flush();
    }
  }
  await flush();
  console.log(`${added} of ${total} added${added === total ? "" : "; the others were on the list already"}.`);
}

async function remove(session: Session, database: Database, words: string[], only: Filter): Promise<void> {
  const { console } = session;
  const addresses = words.map(readAddress);
  for (const address of addresses) {
    const count = await removeSuppressions(database, address, only);
    if (count > 0) console.log(`Removed ${address}.`);
    else {
      console.error(`${address} is not on the list${only.site || only.reason ? " in that way" : ""}.`);
      session.exitCode = 1;
    }
  }
}

function readAddress(text: string): string {
  const address = parseAddress(text);
  if (address === null) throw new Error(`"${text}" is not an e-mail address.`);
  return address.toLowerCase();
}

/** @returns null if `text` is not an e-mail address */
function parseAddress(text: string): string | null {
  // A byte order mark, which trim() removes, begins files of editors on Windows.
  const trimmed = text.trim();
  return trimmed.length > MAX_ADDRESS_LENGTH ? null : normalizeEmailAddress(trimmed);
}

/** Takes a host, with or without `https://` and `www.`, or a site's name. */
function readSite(text: string): string {
  const siteName = text.trim();
  if (siteName === "") throw new InvalidArgumentError("It must be a host, like shop.example.com, or a name.");
  const isUrl = /^https?:\/\//i.test(siteName) && URL.canParse(siteName);
  const siteUrl = isUrl ? siteName : `https://${siteName}`;
  const isHost = isUrl || (/^[\w.-]+\.[\w-]+$/.test(siteName) && URL.canParse(siteUrl));
  return siteOf({ siteName, siteUrl: isHost ? siteUrl : undefined });
}

await runAsProcess(import.meta.url, "suppressions", suppressions);
