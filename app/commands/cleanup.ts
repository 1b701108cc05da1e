/** `npm run cleanup`: deletes records that are past their keep. For a timer; safe at any time. */
import { countExpired, deleteExpired, MAX_COUNTED } from "../cleanup/delete-expired.server";
import { parseOnly } from "../env/schema.server";
import type { Database } from "../providers/database.server";
import { type CommandDefinition, runAsProcess, type Session } from "./run-command";

/** milliseconds between two lines of progress */
const LINE_EVERY_MS = 5_000;

const TABLE = "email_deliveries";

export const cleanup: CommandDefinition = (program, session) =>
  program
    .description(
      "Deletes what is past its keep: records of campaign e-mails (EMAIL_DELIVERIES_KEEP_DAYS, 400 days unless set). Needs POSTGRES_URL, or a running local stack.",
    )
    .option("--dry-run", "say how much there is, and delete nothing")
    .addHelpText(
      "after",
      "\nSafe at any time, beside the running service and beside itself. May be stopped anywhere: run again, it goes on.",
    )
    .action(({ dryRun = false }: { dryRun?: boolean }) =>
      session.withDatabase((database, source) => {
        const { EMAIL_DELIVERIES_KEEP_DAYS: keepDays } = parseOnly(source, "EMAIL_DELIVERIES_KEEP_DAYS");
        return cleanUp(session, database, keepDays, dryRun);
      }),
    );

async function cleanUp(
  session: Session,
  database: Database,
  keepDays: number,
  dryRun: boolean,
): Promise<void> {
  const { console, terminal } = session;
  const stop = terminal.catchSignals();
  const age = `older than ${keepDays} ${keepDays === 1 ? "day" : "days"}`;
  if (dryRun) {
    const count = await countExpired(database, keepDays);
    const many = count < MAX_COUNTED ? String(count) : `${count} or more`;
    return console.log(`${TABLE}: ${many} rows are ${age}. Nothing was deleted.`);
  }
  let deleted = 0;
  let shownAt = Date.now();
  const onBatch = (total: number) => {
    deleted = total;
    if (Date.now() - shownAt < LINE_EVERY_MS) return;
    shownAt = Date.now();
    console.error(`${TABLE}: ${total} rows deleted so far`);
  };
  try {
    await deleteExpired(database, keepDays, { stop, onBatch });
  } catch (error) {
    console.error(`${TABLE}: stopped after ${deleted} rows; run it again to go on.`);
    throw error;
  }
  console.log(`${TABLE}: deleted ${deleted} rows ${age}.${stop.aborted ? " Stopped; run it again." : ""}`);
  if (stop.aborted) session.exitCode = 130;
}

await runAsProcess(import.meta.url, "cleanup", cleanup);
