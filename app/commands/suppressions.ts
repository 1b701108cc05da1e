/** `npm run suppressions -- list|add|remove`: who gets no e-mail, and why. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { InvalidArgumentError, Option } from "commander";
import { siteOf } from "../campaigns/campaign-site.server";
import { readLines } from "../campaigns/read-lines.server";
import { MAX_ADDRESS_LENGTH, normalizeEmailAddress } from "../email/email-address.server";
import {
  addSuppressions,
  EVERY_SITE,
  listSuppressions,
  removeSuppressions,
  type SuppressionReason,
  suppressionReasons,
} from "../email/suppressions/suppressions.server";
import { codeOf } from "../error-text";
import type { Database } from "../providers/database.server";
import { fileInWords } from "./file-in-words";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** Addresses of one statement. */
const BATCH = 500;
const REASON_WIDTH = Math.max(...suppressionReasons.map(({ length }) => length));

interface Choice {
  site?: string;
  reason?: SuppressionReason;
}

const siteOption = (does: string) =>
  new Option("--site <site>", `${does} of one site: the host of its address, or its name`).argParser(
    readSite,
  );
const reasonOption = (does: string) =>
  new Option("--reason <reason>", `${does} for this reason`).choices(suppressionReasons);

export const suppressions: CommandDefinition = (program, session) => {
  program.description(
    "Says who gets no e-mail, and changes it: after a bounce, a complaint, an unsubscribe, or by hand. Needs POSTGRES_URL, or a running local stack.",
  );
  program
    .command("list")
    .description("list all, by address")
    .addOption(siteOption("only those"))
    .addOption(reasonOption("only those"))
    .option("--json", "as JSON, an object on each line")
    .action((options: Choice & { json?: boolean }) =>
      session.withDatabase((database) => list(session, database, options)),
    );
  program
    .command("add [address...]")
    .description("send no e-mail to these addresses any more")
    .option("--file <file>", "read them from a file, one on each line (- reads standard input)")
    .addOption(siteOption("stop only the campaigns"))
    .addOption(reasonOption("note them"))
    .addHelpText("after", "\nSafe to stop and to repeat: an address that is noted already stays as it is.")
    .action((words: string[], options: Choice & { file?: string }) =>
      session.withDatabase((database) => add(session, database, words, options)),
    );
  program
    .command("remove <address...>")
    .description("send e-mail to these addresses again; exit code 1 where one is not on the list")
    .addOption(siteOption("forget only the unsubscribes"))
    .addOption(reasonOption("forget only what was noted"))
    .addHelpText(
      "after",
      "\nAmazon SES has a list of its own: aws sesv2 delete-suppressed-destination --email-address ADDRESS",
    )
    .action((words: string[], options: Choice) =>
      session.withDatabase((database) => remove(session, database, words, options)),
    );
};

async function list(
  { console, terminal }: Session,
  database: Database,
  { json, ...only }: Choice & { json?: boolean },
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
  // The list may be longer than memory: what reads it is waited for, and may go before its end.
  await pipeline(lines, terminal.stdout, { end: false }).catch((error: unknown) => {
    if (codeOf(error) !== "EPIPE") throw error;
  });
  if (count === 0 && !json) console.log("The list is empty.");
}

async function add(
  { console, terminal }: Session,
  database: Database,
  words: string[],
  {
    file,
    site = EVERY_SITE,
    reason = site === EVERY_SITE ? "manual" : "unsubscribe",
  }: Choice & {
    file?: string;
  },
): Promise<void> {
  if ((words.length === 0) === (file === undefined))
    throw new Error("Name the addresses, or the --file that they are in.");
  let added = 0;
  let total = 0;
  let batch: string[] = words.map(readAddress);
  const flush = async () => {
    added += await addSuppressions(database, batch, { reason, site });
    total += batch.length;
    batch = [];
  };
  if (file !== undefined) {
    if (file !== "-") await fileInWords(file);
    const chunks = file === "-" ? bytesOf(terminal.stdin) : createReadStream(file);
    for await (const { number, text } of readLines(chunks, MAX_ADDRESS_LENGTH)) {
      if (text === "") continue;
      const address = normalizeEmailAddress(text ?? "");
      // It is named by its line: what stands there may be anything.
      if (address === null)
        throw new Error(
          `Line ${number} is no e-mail address. ${total === 0 ? "Nothing was noted" : `The first ${total} are noted, and no others`}.`,
        );
      if (batch.push(address) === BATCH) await flush();
    }
  }
  await flush();
  console.log(`${added} of ${total} added${added === total ? "" : "; the others were on the list already"}.`);
}

async function* bytesOf(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) yield Buffer.from(chunk);
}

async function remove(session: Session, database: Database, words: string[], only: Choice): Promise<void> {
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
  const address = text.length > MAX_ADDRESS_LENGTH ? null : normalizeEmailAddress(text.trim());
  if (address === null) throw new Error(`"${text}" is no e-mail address.`);
  return address.toLowerCase();
}

/** A host with or without `https://` and `www.`, or a name, as a campaign's site is noted. */
function readSite(text: string): string {
  const name = text.trim();
  if (name === "") throw new InvalidArgumentError("It must be a host, like shop.example.com, or a name.");
  const isAddress = /^https?:\/\//i.test(name) && URL.canParse(name);
  const siteUrl = isAddress ? name : `https://${name}`;
  const isHost = isAddress || (/^[\w.-]+\.[\w-]+$/.test(name) && URL.canParse(siteUrl));
  return siteOf({ siteName: name, siteUrl: isHost ? siteUrl : undefined });
}

await runAsProcess(import.meta.url, "suppressions", suppressions);
