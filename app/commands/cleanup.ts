/** `npm run cleanup`: deletes records that are past their keep. For a timer; safe at any time. */
import { Command } from "commander";
import {
  countExpired,
  deleteExpired,
  type ExpiringTable,
  MAX_COUNTED,
} from "../cleanup/delete-expired.server";
import { parseCleanupEnv, readEnvOrExit } from "../env.server";
import { runCommand, withDatabase } from "./run-command";

/** milliseconds between two lines of progress */
const LINE_EVERY_MS = 5_000;

/** What expires, a line for each table. A claim that was never sent expires as well: nobody will take it over any more. */
function expiringTables(): ExpiringTable[] {
  const { emailDeliveriesKeepDays } = readEnvOrExit(parseCleanupEnv);
  return [
    {
      table: "email_deliveries",
      column: "claimed_at",
      keepDays: emailDeliveriesKeepDays,
    },
  ];
}

const program = new Command("npm run cleanup --")
  .description(
    "Deletes what is past its keep: records of campaign e-mails (EMAIL_DELIVERIES_KEEP_DAYS, 400 days unless set). Needs POSTGRES_URL, or a running local stack.",
  )
  .option("--dry-run", "say how much there is, and delete nothing")
  .addHelpText(
    "after",
    "\nSafe at any time, beside the running service and beside itself. May be stopped anywhere: run again, it goes on.",
  )
  .showHelpAfterError("Run with --help for usage.")
  .action(({ dryRun }: { dryRun?: boolean }) =>
    withDatabase((database) => cleanUp(database, dryRun ?? false)),
  );

async function cleanUp(database: Parameters<typeof countExpired>[0], dryRun: boolean): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

  for (const expiring of expiringTables()) {
    const { table, keepDays } = expiring;
    const age = `older than ${keepDays} ${keepDays === 1 ? "day" : "days"}`;
    if (dryRun) {
      const count = await countExpired(database, expiring);
      const many = count < MAX_COUNTED ? String(count) : `${count} or more`;
      console.log(`${table}: ${many} rows are ${age}. Nothing was deleted.`);
      continue;
    }
    let deleted = 0;
    let shownAt = Date.now();
    const onBatch = (total: number) => {
      deleted = total;
      if (Date.now() - shownAt < LINE_EVERY_MS) return;
      shownAt = Date.now();
      console.error(`${table}: ${total} rows deleted so far`);
    };
    try {
      await deleteExpired(database, expiring, { stop: stop.signal, onBatch });
    } catch (error) {
      console.error(`${table}: stopped after ${deleted} rows; run it again to go on.`);
      throw error;
    }
    console.log(
      `${table}: deleted ${deleted} rows ${age}.${stop.signal.aborted ? " Stopped; run it again." : ""}`,
    );
    if (stop.signal.aborted) {
      process.exitCode = 130;
      return;
    }
  }
}

await runCommand(() => program.parseAsync());
