/** `npm run catalogue -- add|remove|status|check|scan`: keeps a catalogue of a bucket: a table of all its objects. app/catalogue/README.md */
import type { Command } from "commander";
import { forTerminal } from "../../embed-element/doctor/for-terminal";
import {
  addCatalogue,
  type Catalogue,
  type CatalogueStatus,
  findCatalogue,
  readStatus,
  removeCatalogue,
} from "../catalogue/catalogues.server";
import { checkCatalogue, type Difference } from "../catalogue/check-catalogue.server";
import { scanCatalogue } from "../catalogue/scan-catalogue.server";
import { createSearchIndex, hasSearchIndex } from "../catalogue/search-index.sql.server";
import { type EnvVariables, parseEnv, parseOnly } from "../env/env.server";
import type { Database } from "../providers/database.server";
import { runLongStatement } from "../providers/long-statement.server";
import { createObjectStore, type ObjectStore } from "../providers/object-store.server";
import { Progress } from "./progress";
import {
  type CommandDefinition,
  JSON_OPTION,
  type JsonOption,
  runAsProcess,
  type Session,
} from "./run-command";

/** What a command works with. */
interface Tools {
  database: Database;
  variables: EnvVariables;
  objectStore: ObjectStore;
}

const withStore = (session: Session, work: (tools: Tools) => Promise<void>): Promise<void> =>
  session.withDatabase((database, variables) =>
    work({ database, variables, objectStore: createObjectStore(parseEnv(variables).objectStore) }),
  );

const AFTER_INTERRUPTION = "It is safe to stop: run it again to continue, also after a crash.";

export const catalogue: CommandDefinition = (program, session) => {
  program.description(
    "Keeps a catalogue of a bucket: a table in PostgreSQL of all its objects. " +
      "Needs the server's environment, or a running local stack.",
  );
  const ofBucket = (name: string, description: string): Command =>
    program.command(`${name} <bucket>`).description(description);

  ofBucket("add", "add a catalogue, list the bucket into it, and create the index for searches in names")
    .addHelpText("after", `\n${AFTER_INTERRUPTION} The index needs the extension pg_trgm of PostgreSQL.`)
    .action((bucket: string) => withStore(session, (tools) => add(session, tools, bucket)));

  ofBucket("scan", "list the bucket once more, and repair what differs; or continue a scan that was stopped")
    .addHelpText(
      "after",
      `\n${AFTER_INTERRUPTION} Several may run at once: they share the work. The exit code is 130 if it was stopped.`,
    )
    .action((bucket: string) =>
      withStore(session, async (tools) => {
        await scan(session, tools, await catalogueOf(tools.database, bucket));
      }),
    );

  program
    .command("status [bucket]")
    .description("say of each bucket when it was last listed, what was found, and how far a scan has come")
    .option(...JSON_OPTION)
    .action((bucket: string | undefined, options: JsonOption) =>
      session.withDatabase((database) => status(session, database, bucket, options)),
    );

  ofBucket("check", "compare the catalogue with the bucket, name what differs, and change nothing")
    .option("--json", "print JSON, one difference on each line")
    .addHelpText(
      "after",
      "\nThe exit code is 1 if something differs. What other programs have changed since the last scan may differ.",
    )
    .action((bucket: string, options: JsonOption) =>
      withStore(session, (tools) => check(session, tools, bucket, options)),
    );

  ofBucket("remove", "remove the catalogue; the bucket stays as it is")
    .addHelpText("after", `\n${AFTER_INTERRUPTION}`)
    .action((bucket: string) => session.withDatabase((database) => remove(session, database, bucket)));
};

async function add(session: Session, tools: Tools, bucket: string): Promise<void> {
  const { console } = session;
  const { database, variables, objectStore } = tools;
  // A bucket that cannot be listed gets no catalogue.
  await objectStore.list({ bucket, prefix: "", pageSize: 1 });
  const added = await addCatalogue(database, bucket);
  if (added.isBeingRemoved) throw new Error(beingRemoved(bucket));
  if (added.scannedAt !== null) console.log(`${bucket}: it has a catalogue already.`);
  else if (!(await scan(session, tools, added))) return;
  const { POSTGRES_URL: url } = parseOnly(variables, "POSTGRES_URL");
  const reason = await createSearchIndex(database, (statement) => {
    console.error("Creating the index for searches. With ten million objects this takes minutes.");
    return runLongStatement(url, statement);
  });
  if (reason === undefined) console.log("The index for searches is there.");
  else
    console.error(
      `There is no index for searches, because this PostgreSQL does not have the extension pg_trgm: ${reason}\n` +
        "Everything else works. To get the index, let an administrator run CREATE EXTENSION pg_trgm, and repeat this command.",
    );
}

/** @returns whether the scan has ended */
async function scan(
  session: Session,
  { database, objectStore }: Tools,
  catalogue: Catalogue,
): Promise<boolean> {
  const { terminal, console } = session;
  const { bucket } = catalogue;
  const signal = terminal.catchSignals();
  const progress = new Progress(terminal.stderr);
  const onProgress = (objects: number, here: number) =>
    progress.show(
      (perSecond) => `${bucket}: ${objects} objects so far, ${Math.round(perSecond)} a second`,
      here,
    );
  const result = await scanCatalogue({ database, objectStore }, catalogue, { signal, onProgress }).finally(
    () => progress.end(),
  );
  if (result !== undefined) {
    const isFirst = catalogue.scannedAt === null;
    const repaired = isFirst ? "" : ` ${result.differences} rows differed, and were repaired.`;
    console.log(`${bucket}: ${result.objects} objects.${repaired}`);
    return true;
  }
  if (signal.aborted) console.error("Stopped. Run it again to continue.");
  else console.error(`${bucket}: the catalogue was removed meanwhile.`);
  session.exitCode = signal.aborted ? 130 : 1;
  return false;
}

async function status(
  session: Session,
  database: Database,
  bucket: string | undefined,
  { json }: JsonOption,
): Promise<void> {
  const { console } = session;
  if (bucket !== undefined) await catalogueOf(database, bucket, { orBeingRemoved: true });
  const [buckets, searchIndex] = await Promise.all([readStatus(database, bucket), hasSearchIndex(database)]);
  if (json) {
    session.printJson({ buckets, searchIndex });
    return;
  }
  if (buckets.length === 0) console.log("No bucket has a catalogue.");
  for (const found of buckets) console.log(`${found.bucket}: ${describe(found)}`);
  if (buckets.length > 0) console.log(`Index for searches: ${searchIndex ? "yes" : "no"}`);
}

function describe({ state, lastScan, scan }: CatalogueStatus): string {
  if (state === "being removed") return "it is being removed. If that was stopped, run remove again.";
  const last =
    lastScan === null
      ? "incomplete: the first scan has not ended."
      : `${lastScan.objects} objects. The last scan began ${lastScan.startedAt}, ended ${lastScan.endedAt}, and had to change ${lastScan.differences} rows.`;
  return scan === null
    ? last
    : `${last} A scan that began ${scan.startedAt} has found ${scan.objects} objects so far. If it was stopped, run scan to continue it.`;
}

async function check(session: Session, tools: Tools, bucket: string, { json }: JsonOption): Promise<void> {
  const { terminal, console } = session;
  const found = await catalogueOf(tools.database, bucket);
  if (found.scannedAt === null)
    throw new Error(`The first scan of ${bucket} has not ended. Run: npm run catalogue -- scan ${bucket}`);
  const signal = terminal.catchSignals();
  const progress = new Progress(terminal.stderr);
  let objects = 0;
  let differences = 0;
  async function* lines() {
    for await (const page of checkCatalogue(tools, found, signal)) {
      objects += page.objects;
      differences += page.differences.length;
      progress.show((perSecond) => `${objects} objects compared, ${Math.round(perSecond)} a second`, objects);
      for (const difference of page.differences)
        yield `${json ? JSON.stringify(difference) : forTerminal(lineOf(difference))}\n`;
    }
  }
  await session.write(lines());
  progress.end();
  const stopped = signal.aborted ? " Stopped before the end." : "";
  console.error(`${bucket}: ${differences} differences in ${objects} objects.${stopped}`);
  if (signal.aborted) session.exitCode = 130;
  else if (differences > 0) session.exitCode = 1;
}

/** A key may contain anything, so it is written as JSON. */
function lineOf({ key, kind, members = [] }: Difference): string {
  const details = members.map(
    ({ name, bucket, catalogue }) => `${name}: ${bucket} in the bucket, ${catalogue} in the catalogue`,
  );
  return [`${kind.padEnd("different".length)} ${JSON.stringify(key)}`, ...details].join("  ");
}

async function remove(session: Session, database: Database, bucket: string): Promise<void> {
  const { terminal, console } = session;
  const found = await catalogueOf(database, bucket, { orBeingRemoved: true });
  const signal = terminal.catchSignals();
  const progress = new Progress(terminal.stderr);
  const isRemoved = await removeCatalogue(database, found, {
    signal,
    onRows: (rows) => progress.show(() => `${rows} rows removed so far`),
  }).finally(() => progress.end());
  if (isRemoved) console.log(`${bucket}: the catalogue is removed.`);
  else {
    console.error("Stopped. Run it again to continue.");
    session.exitCode = 130;
  }
}

/** @throws Error if the bucket has no catalogue, or one that is being removed */
async function catalogueOf(
  database: Database,
  bucket: string,
  { orBeingRemoved = false } = {},
): Promise<Catalogue> {
  const found = await findCatalogue(database, bucket);
  if (found === null)
    throw new Error(`${bucket} has no catalogue. To add one, run: npm run catalogue -- add ${bucket}`);
  if (found.isBeingRemoved && !orBeingRemoved) throw new Error(beingRemoved(bucket));
  return found;
}

const beingRemoved = (bucket: string) =>
  `The catalogue of ${bucket} is being removed. If that was stopped, run: npm run catalogue -- remove ${bucket}`;

await runAsProcess(import.meta.url, "catalogue", catalogue);
